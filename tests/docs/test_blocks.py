"""Every fenced block of README and docs holds: commands are parsed and held against the routes, programs are compiled,
JSON goes through the models that the server uses. A block that nothing can check says why in a comment above it."""

import ast
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pydantic import BaseModel

from tests.docs.checked_commands import as_json, check, route
from tests.docs.fenced_blocks import ROOT, Block, blocks
from tests.docs.shell_commands import commands

BLOCKS = blocks()
# PHP and Ruby are run by tests/test_signing_examples.py, where they are installed.
CHECKED_LANGUAGES = {"sh", "bash", "python", "json", "js", "html", "css", "nginx", "text", "php", "ruby"}
_NOTE = re.compile(r"(the body|the answer|part of the answer) of ([A-Z]+) (\S+)")
_ATTRIBUTES = re.compile(r"^\| `(data-[a-z-]+)` \|", re.MULTILINE)
_SCRIPTS = "widget|search|inline|invite|webmcp"


def in_language(*languages: str) -> pytest.MarkDecorator:
    """One test a block, named by where it stands."""
    chosen = [block for block in BLOCKS if block.language in languages and block.is_checked]
    assert chosen, languages
    return pytest.mark.parametrize("block", chosen, ids=str)


def test_every_block_is_of_a_language_that_is_checked_or_says_why_not() -> None:
    assert len(BLOCKS) > 60
    unknown = [str(block) for block in BLOCKS if block.is_checked and block.language not in CHECKED_LANGUAGES]
    assert unknown == []


def test_a_block_that_is_not_run_says_why() -> None:
    assert [str(block) for block in BLOCKS if not block.is_checked and len(block.reason) < 10] == []


@in_language("sh", "bash")
def test_its_commands_could_run(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "manual.pdf").write_bytes(b"%PDF-")  # files that the pages speak of
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    written = subprocess.run(["bash", "-n"], input=block.code, capture_output=True, text=True, timeout=30)
    assert written.returncode == 0, written.stderr
    found = commands(block.code)
    assert found
    for command in found:
        check(command)


@in_language("python")
def test_its_python_compiles(block: Block) -> None:
    ast.parse(block.code)


@in_language("json")
def test_its_json_is_what_the_server_takes_or_gives(block: Block) -> None:
    found = _NOTE.fullmatch(block.note)
    assert found, f"{block}: say above the block what it is: <!-- the body of POST /v1/... -->"
    what, method, path = found.groups()
    endpoint = route(method, path)
    model = endpoint.input_model if what == "the body" else endpoint.response_model
    assert model is not None
    _validate(model, as_json(block.code), is_part=what.startswith("part"))


@in_language("js")
def test_its_javascript_parses(block: Block) -> None:
    _parse_javascript(block.code, "commonjs")


@in_language("html")
def test_its_html_holds_scripts_that_parse_and_attributes_that_the_widget_knows(block: Block) -> None:
    page = _Scripts()
    page.feed(block.code)
    page.close()
    assert page.scripts
    known = set(_ATTRIBUTES.findall((ROOT / "docs" / "widget.md").read_text("utf-8")))
    for attributes, code in page.scripts:
        assert {name for name in attributes if name.startswith("data-")} <= known
        if "src" in attributes:
            assert re.fullmatch(rf"https?://[^/]+/widget/({_SCRIPTS})(\.[\w-]{{16}})?\.js", attributes["src"])
        else:
            _parse_javascript(code, attributes.get("type", "commonjs"))


@in_language("css")
def test_its_style_names_what_the_widget_has(block: Block) -> None:
    source = "".join(path.read_text("utf-8") for path in sorted((ROOT / "widget" / "src").iterdir()) if path.is_file())
    for name in {*re.findall(r"(--docent-[a-z-]+):", block.code), *re.findall(r"::part\((\w+)\)", block.code)}:
        assert name in source, name


@in_language("nginx")
def test_nginx_takes_its_configuration(block: Block, tmp_path: Path) -> None:
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    if nginx is None:
        pytest.skip("nginx is not installed")
    logs = f"pid {tmp_path}/pid; error_log {tmp_path}/error.log;"
    is_whole = "server {" in block.code
    http = block.code if is_whole else f"server {{ listen 127.0.0.1:18080; {block.code} }}"
    around = f"{logs} events {{}} http {{ access_log off; {http} }}"
    file = tmp_path / "nginx.conf"
    file.write_text(around, "utf-8")
    said = subprocess.run([nginx, "-t", "-p", str(tmp_path), "-c", str(file)], capture_output=True, timeout=30)
    assert said.returncode == 0, said.stderr.decode()


@in_language("text")
def test_a_figure_or_a_header_holds_no_command(block: Block) -> None:
    """What is typed into a shell belongs into a block that is checked."""
    assert not re.search(r"^\s*(docent|make|curl|pip\w*) ", block.code, re.MULTILINE)


def _validate(model: type[BaseModel], value: object, is_part: bool) -> None:
    """Of a part, each object that holds one field is the way to it."""
    if not is_part:
        model.model_validate_json(json.dumps(value))
        return
    assert isinstance(value, dict)
    for name, inner in value.items():
        field = model.model_fields[name].annotation
        if isinstance(field, type) and issubclass(field, BaseModel):
            _validate(field, inner, is_part=set(inner) < set(field.model_fields))


def _parse_javascript(code: str, kind: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    command = [node, "--check", f"--input-type={'module' if kind == 'module' else 'commonjs'}", "-"]
    said = subprocess.run(command, input=code, capture_output=True, text=True, timeout=30)
    assert said.returncode == 0, said.stderr


class _Scripts(HTMLParser):
    """The scripts of a page: their attributes and their code."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, str], str]] = []
        self._is_open = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._is_open = tag == "script"
        if self._is_open:
            self.scripts.append(({name: value or "" for name, value in attributes}, ""))

    def handle_data(self, data: str) -> None:
        if self._is_open:
            attributes, code = self.scripts[-1]
            self.scripts[-1] = (attributes, code + data)

    def handle_endtag(self, tag: str) -> None:
        self._is_open = False

"""What the documentation names is there: settings, commands, make targets, files, tests, links and dependencies."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main

from app.agents.retrieval_settings import RetrievalSettings
from app.cli import cli
from app.settings import PREFIX, Settings
from tests.every_row import every_row

ROOT = Path(__file__).resolve().parents[1]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
# Variables that are no settings: a run of the tests reads them.
TEST_VARIABLES = {"DOCENT_CASES", "DOCENT_TEST_POSTGRES", "DOCENT_SEED"}

_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
_VARIABLE = re.compile(r"\bDOCENT_[A-Z][A-Z_]*\b")
_COMMAND = re.compile(r"(?<![\w.-])docent((?: +[a-z][a-z-]*)+)([^\n#|;`]*)")
_TARGET = re.compile(r"(?:^|&&|;)[ \t]*make ([a-z][a-z-]*)", re.MULTILINE)
_FILE = re.compile(r"(?<![\w/.])((?:app|crawler|widget|tests|docs)/[\w/.-]+\.(?:py|md|ts|mjs))(?:::(\w+))?")

every_page = every_row("page", PAGES, ids=lambda page: page.relative_to(ROOT))


@every_page
def test_every_variable_is_a_setting(page: Path) -> None:
    settings = {PREFIX + name.upper() for name in Settings.model_fields}
    assert set(_VARIABLE.findall(_text(page))) <= settings | TEST_VARIABLES


@every_page
def test_every_command_and_option_exists(page: Path) -> None:
    for code in _code(page):
        for words, rest in _COMMAND.findall(code):
            command = _command(words.split())
            options = {name for parameter in command.params for name in parameter.opts}
            assert set(re.findall(r"--[a-z][a-z-]*", rest)) <= options | {"--help"}, f"docent{words}{rest}"


@every_page
def test_every_make_target_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", _text(ROOT / "Makefile"), re.MULTILINE))
    assert {target for code in _code(page) for target in _TARGET.findall(code)} <= targets


@every_page
def test_every_file_and_test_exists(page: Path) -> None:
    for path, test in _FILE.findall(_text(page)):
        assert (ROOT / path).exists(), path
        assert not test or f"def {test}(" in _text(ROOT / path), f"{path} has no {test}"


@every_page
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    for link in _LINK.findall(_without_fences(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in _anchors(target), link


def test_decisions_are_numbered_and_say_what_they_cost() -> None:
    assert [page.name[:5] for page in DECISIONS] == [f"{number:04}-" for number in range(1, len(DECISIONS) + 1)]
    for page in DECISIONS:
        headings = _HEADING.findall(_without_fences(page))
        assert [title for title in headings if title in ("Context", "Decision", "What it costs")] == headings[1:]


def test_every_decision_is_listed() -> None:
    listed = _LINK.findall(_text(ROOT / "docs" / "decisions" / "index.md"))
    assert listed == [page.name for page in DECISIONS]


def test_every_dependency_was_weighed() -> None:
    project = tomllib.loads(_text(ROOT / "pyproject.toml"))["project"]
    wanted = [
        *project["dependencies"],
        *(need for extra in project["optional-dependencies"].values() for need in extra),
    ]
    names = {re.split(r"[\[<>=;~ ]", need)[0] for need in wanted}
    [page] = [page for page in DECISIONS if page.name.startswith("0008-")]
    assert names <= set(_INLINE.findall(_text(page)))


@pytest.mark.parametrize(
    ("client", "speaking"),
    [
        (
            "httpx",
            [
                "app/cli/serving/stream_check.py",
                "app/providers/reranking/http_reranker.py",
                "app/providers/server_clock.py",
                "crawler/fetch/guarded_transport.py",
            ],
        ),
        (
            "httpx2",
            [
                "app/providers/chat/openai_chat_model.py",
                "app/providers/embedding/openai_embedder.py",
                "app/providers/httptools_transport.py",
                "app/providers/identity/oidc_provider.py",
                "app/providers/openai_errors.py",
                "app/providers/provider_events.py",
            ],
        ),
    ],
)
def test_our_own_requests_use_httpx_and_those_of_libraries_httpx2(client: str, speaking: list[str]) -> None:
    """As docs/decisions/0008 says: who else wants one of them should ask why first."""
    assert speaking == [
        str(path.relative_to(ROOT))
        for room in ("app", "crawler")
        for path in sorted((ROOT / room).rglob("*.py"))
        if re.search(rf"^\s*(?:import|from) {client}\b", _text(path), re.MULTILINE)
    ]


def _command(words: list[str]) -> Any:
    """The command that the first of the words name, within groups as well; the first may be an image's name."""
    command: Any = typer.main.get_command(cli)
    for word in words[words[0] == "docent" :]:
        if not hasattr(command, "commands"):
            break
        assert word in command.commands, f"docent {' '.join(words)}"
        _, command, _ = command.resolve_command(typer.Context(command), [word])  # some are imported only now
    return command


def _code(page: Path) -> Iterator[str]:
    yield from _FENCE.findall(_text(page))
    yield from _INLINE.findall(_without_fences(page))


def _without_fences(page: Path) -> str:
    return _FENCE.sub("", _text(page))


def _anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    return {
        re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in _HEADING.findall(_without_fences(page))
    }


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_every_setting_of_search_is_explained() -> None:
    page = (ROOT / "docs" / "search.md").read_text("utf-8")
    missing = [field.name for field in fields(RetrievalSettings) if f"`{field.name}`" not in page]
    assert not missing

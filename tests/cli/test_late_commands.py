"""What a command imports: `docent --help` next to nothing, the others what they use."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import COMMANDS, LateCommand, cli
from tests.every_row import every_row

_REPORT = """
import sys
sys.argv = ["docent", *sys.argv[1:]]
from app.cli import main
try:
    main()
except SystemExit:
    pass
print(*sorted(sys.modules), file=sys.stderr)
"""
_OURS_FOR_HELP = {"app", "app.cli"}
# attr: rich looks for it, and the SDK of the extra `mcp` brings it along.
_LIBRARIES_FOR_HELP = {
    "annotated_doc",
    "attr",
    "click",
    "markdown_it",
    "mdurl",
    "pygments",
    "rich",
    "shellingham",
    "typer",
}
_NOT_FOR_A_LIST = {
    "alembic",
    "dbos",
    "httpx",
    "httpx2",
    "jwt",
    "lancedb",
    "numpy",
    "onnxruntime",
    "openai",
    "opentelemetry",
    "prometheus_client",
    "starlette",
    "tantivy",
}
_NOT_AT_THE_START = {
    "dbos",
    "docx",
    "mammoth",
    "markdown_it",
    "mcp",
    "openai",
    "openpyxl",
    "overrides",
    "playwright",
    "pptx",
    "psycopg",
    "pypdf",
    "trafilatura",
    "webauthn",
    "yaml",
}
_SERVER_REPORT = """
import asyncio, sys
from app.main import open_app
from app.settings import read_settings
import app.cli.serving.web_server

async def main():
    async with open_app(read_settings()):
        print(*sorted(sys.modules))

asyncio.run(main())
"""


def modules_of(*words: str, data: str = "") -> set[str]:
    """What is imported when the command has ended."""
    environment = {"DOCENT_DATA": data} if data else {}
    done = subprocess.run(
        [sys.executable, "-c", _REPORT, *words], capture_output=True, text=True, check=True, env=environment
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("words", [["--help"], ["--version"], []], ids=["help", "version", "nothing"])
def test_help_and_version_import_the_list_of_commands_and_no_more(words: list[str]) -> None:
    modules = modules_of(*words)
    assert {name for name in modules if name.partition(".")[0] in {"app", "crawler", "widget"}} == _OURS_FOR_HELP
    libraries = {name.partition(".")[0] for name in modules} - sys.stdlib_module_names
    assert {name for name in libraries if not name.startswith("_")} - {"app"} <= _LIBRARIES_FOR_HELP


def test_a_list_imports_the_database_and_neither_models_nor_indexes(tmp_path: Path) -> None:
    CliRunner().invoke(cli, ["agent", "list"], env={"DOCENT_DATA": str(tmp_path)})
    libraries = {name.partition(".")[0] for name in modules_of("agent", "list", data=str(tmp_path))}
    assert "sqlalchemy" in libraries
    assert not libraries & _NOT_FOR_A_LIST


def test_a_server_imports_what_few_requests_need_with_the_first_of_them(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SERVER_REPORT],
        capture_output=True,
        text=True,
        check=True,
        env={"DOCENT_DATA": str(tmp_path)},
    )
    modules = set(done.stdout.split())
    assert {"lancedb", "tantivy"} <= modules, "the server was not opened"
    assert not {name for name in modules if name.partition(".")[0] in _NOT_AT_THE_START}
    assert not modules & {"crawler.crawl.site_crawl", "crawler.discover.site_discovery", "crawler.extract.extraction"}
    assert "crawler.extract.markdown.writer" not in modules


@every_row("command", COMMANDS, ids=lambda command: command.name)
def test_the_list_says_of_each_command_what_its_own_help_begins_with(command: LateCommand) -> None:
    loaded = command.load()
    assert loaded.name == command.name
    own = " ".join(loaded.help.split())
    assert own.startswith(command.help.rstrip(".")), own


def test_version_is_that_of_the_package() -> None:
    shown = CliRunner().invoke(cli, ["--version"])
    assert (shown.exit_code, shown.output) == (0, f"docent {version('docent')}\n")


def test_a_command_that_is_not_there_names_those_that_are_near() -> None:
    shown = CliRunner().invoke(cli, ["serv"])
    assert (shown.exit_code, "serve" in shown.output) == (2, True)


def test_options_of_a_late_command_reach_it() -> None:
    shown = CliRunner().invoke(cli, ["crawl", "--help"])
    assert shown.exit_code == 0
    assert "--max-pages" in shown.output

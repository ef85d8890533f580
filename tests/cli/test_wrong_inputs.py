"""Each row of `wrong_inputs`: the exit code, what the message holds, and no library's wording in it."""

import shlex
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.cli.demo.site_server import serve_demo_site
from tests.cli.wrong_inputs import LIBRARY_WORDING, WITH_AGENTS, WITH_NOTHING, WrongInput


@pytest.fixture(scope="module")
def filled_in() -> Iterator[Mapping[str, str]]:
    with serve_demo_site() as site, socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))  # nobody else gets the port, and nobody listens there
        yield {"site": site.base.removeprefix("http://"), "dead": f"127.0.0.1:{dead.getsockname()[1]}"}


@pytest.fixture(scope="module")
def with_agents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("with-agents")
    for name in ("Helper", "Handbook"):
        created = CliRunner().invoke(cli, ["agent", "create", name], env={"DOCENT_DATA": str(folder)})
        assert created.exit_code == 0, created.output
    return folder


def _check(row: WrongInput, filled_in: Mapping[str, str], folder: Path) -> None:
    environment = {name: value.format(**filled_in) for name, value in row.environment.items()}
    words = shlex.split(row.typed.format(**filled_in))
    result = CliRunner().invoke(cli, words, env={"DOCENT_DATA": str(folder), "COLUMNS": "80", **environment})
    assert isinstance(result.exception, SystemExit), result.exception
    text = " ".join(result.output.replace("│", " ").split())
    assert result.exit_code == row.code, result.output
    assert [held for held in row.holds if held.format(**filled_in) not in text] == [], result.output
    assert [wording for wording in LIBRARY_WORDING if wording in result.output] == [], result.output


@pytest.mark.parametrize("row", WITH_NOTHING, ids=lambda row: row.name)
def test_what_is_typed_wrongly_in_an_empty_folder(
    row: WrongInput, filled_in: Mapping[str, str], tmp_path: Path
) -> None:
    _check(row, filled_in, tmp_path)


@pytest.mark.parametrize("row", WITH_AGENTS, ids=lambda row: row.name)
def test_what_is_typed_wrongly_beside_agents(row: WrongInput, filled_in: Mapping[str, str], with_agents: Path) -> None:
    _check(row, filled_in, with_agents)

"""Each row of `wrong_inputs`: the exit code, what the message holds, and no library's wording in it."""

import json
import shlex
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from app.cli.demo.command import free_port
from app.cli.demo.site_server import DemoSite
from app.store.secret_keys import new_key
from tests.newcomer.newcomer import Newcomer
from tests.newcomer.wrong_inputs import LIBRARY_WORDING, OF_THE_API, WITH_AGENTS, WITH_NOTHING, WrongCall, WrongInput

pytestmark = pytest.mark.timeout(240)


@pytest.fixture(scope="session")
def filled_in(site: DemoSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    file = tmp_path_factory.mktemp("wrong") / "file"
    file.touch()
    with socket.create_server(("127.0.0.1", 0)) as taken, socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))  # nobody else gets the port, and nobody listens there
        yield {
            "site": site.base.removeprefix("http://"),
            "dead": f"127.0.0.1:{dead.getsockname()[1]}",
            "taken": str(taken.getsockname()[1]),
            "file": str(file),
            "unwritable": "/proc",
            "key": new_key(),
        }


@pytest.fixture(scope="session")
def with_agents(newcomer: Newcomer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("with-agents")
    for name in ("Helper", "Handbook"):
        assert newcomer.docent("agent", "create", name, cwd=folder).code == 0
    return folder


def _check(newcomer: Newcomer, row: WrongInput, filled_in: Mapping[str, str], folder: Path) -> None:
    environment = {name: value.format(**filled_in) for name, value in row.environment.items()}
    said = newcomer.docent(*shlex.split(row.typed.format(**filled_in)), cwd=folder, environment=environment)
    text = " ".join(said.text.replace("│", " ").split())
    assert said.code == row.code, said.text
    assert [held for held in row.holds if held.format(**filled_in) not in text] == [], said.text
    assert [wording for wording in LIBRARY_WORDING if wording in said.text] == [], said.text


@pytest.mark.parametrize("row", WITH_NOTHING, ids=lambda row: row.name)
def test_what_is_typed_wrongly_in_an_empty_folder(
    newcomer: Newcomer, row: WrongInput, filled_in: Mapping[str, str], tmp_path: Path
) -> None:
    _check(newcomer, row, filled_in, tmp_path)


@pytest.mark.parametrize("row", WITH_AGENTS, ids=lambda row: row.name)
def test_what_is_typed_wrongly_beside_agents(
    newcomer: Newcomer, row: WrongInput, filled_in: Mapping[str, str], with_agents: Path
) -> None:
    _check(newcomer, row, filled_in, with_agents)


@pytest.fixture(scope="module")
def curl(newcomer: Newcomer) -> Iterator[str]:
    """The beginning of a call, with a token and up to the address's path."""
    token = newcomer.docent("token", "create", "script").stdout.strip()
    with newcomer.serving(free_port(None)) as base:
        header = shlex.quote(f"Authorization: Bearer {token}")
        yield f"curl -sS -w '\\n%{{http_code}}' -H {header} -H 'Content-Type: application/json' {base}"


@pytest.fixture(scope="module")
def agent(newcomer: Newcomer) -> str:
    return str(json.loads(newcomer.docent("agent", "create", "Helper", "--json").stdout)["id"])


@pytest.mark.parametrize("call", OF_THE_API, ids=lambda call: call.typed)
def test_what_is_asked_wrongly_of_the_api(newcomer: Newcomer, call: WrongCall, agent: str, curl: str) -> None:
    said = newcomer.shell(curl + call.typed.format(agent=agent), {}).stdout
    body, _, status = said.rpartition("\n")
    message = json.loads(body)["error"]["message"]
    assert int(status) == call.status, said
    assert [held for held in call.holds if held not in message] == [], said
    assert [wording for wording in LIBRARY_WORDING if wording in said] == [], said

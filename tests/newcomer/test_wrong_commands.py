"""What is typed wrongly into the installed command ends as it should; `tests/cli/wrong_inputs.py` has the rest."""

import socket
from pathlib import Path

import pytest

from tests.newcomer.newcomer import Newcomer


@pytest.mark.parametrize(
    ("typed", "variables", "code", "holds"),
    [
        ("serv", {}, 2, ("No such command 'serv'", "'serve'")),
        ("crawl http://{dead}/", {"DOCENT_RENDER_BROWSER": "/bin/true"}, 2, ("Playwright", "docent[render]")),
        ("demo --once --site http://{dead} --allow {dead}", {}, 1, ("was not read", "nothing answers")),
    ],
    ids=["a command", "an extra that is not installed", "a website that is away"],
)
def test_it_ends_with_its_code_and_a_message(
    newcomer: Newcomer, tmp_path: Path, typed: str, variables: dict[str, str], code: int, holds: tuple[str, ...]
) -> None:
    with socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))  # nobody else gets the port, and nobody listens there
        words = typed.format(dead=f"127.0.0.1:{dead.getsockname()[1]}").split()
        said = newcomer.docent(*words, cwd=tmp_path, environment=variables)
    text = " ".join(said.text.replace("│", " ").split())
    assert said.code == code, said.text
    assert [held for held in holds if held not in text] == [], said.text
    assert "Traceback" not in said.text

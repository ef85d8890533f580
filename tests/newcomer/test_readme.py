"""README's commands and those of its quickstart, one after the other, by somebody who has just installed Docent."""

import json

import pytest

from app.cli.demo.command import free_port
from tests.newcomer.newcomer import Newcomer
from tests.newcomer.readme_commands import SERVE, readme_fences
from tests.recipes.website import Website


@pytest.mark.timeout(1800)
def test_every_command_of_the_readme_does_its_work(newcomer: Newcomer, site: Website) -> None:
    port = free_port(None)
    filled_in = {
        # What `make` does with a clone, this newcomer has from the wheel.
        "make install": "",
        ". .venv/bin/activate": "",
        "make demo SITE=": "docent demo --once --json --site ",
        "make demo": "",  # which uvx runs
        "make report SITE=": "docent report ",
        "docent operator add": "echo 'a long pass phrase' | docent operator add",
        "https://www.example.com": site.origin,
        "http://127.0.0.1:8000": f"http://127.0.0.1:{port}",
    }
    # Their website is on their own machine, and needs no politeness.
    environment = {
        "DOCENT_CRAWL_ALLOW": site.origin.removeprefix("http://"),
        "DOCENT_CRAWL_DELAY_SECONDS": "0",
        "DOCENT_DATA": str(newcomer.home / "data-of-readme"),
    }
    fences = readme_fences(filled_in)
    serving = [SERVE in fence for fence in fences].index(True)
    said: list[str] = []

    def type_in(commands: list[str], ids: dict[str, str]) -> None:
        done = newcomer.shell("\n".join(commands), {**environment, **ids})
        assert done.code == 0, done.text
        assert '{"error":' not in done.stdout
        assert "Traceback" not in done.text
        said.append(done.stdout)

    for fence in fences[:serving]:
        type_in(fence, {})
    place = fences[serving].index(SERVE)
    type_in(fences[serving][:place], {})
    with newcomer.serving(port, environment):
        ids = _ids(newcomer, environment)
        for fence in (fences[serving][place + 1 :], *fences[serving + 1 :]):
            type_in(fence, ids)
    told = "".join(said)
    assert " indexed" in told
    assert "30 days of delivery" in told, "the answer to the first question"
    assert "Written to report.html" in told
    assert f'data-agent="{ids["AGENT"]}"' in told


def _ids(newcomer: Newcomer, environment: dict[str, str]) -> dict[str, str]:
    """What the pages call $AGENT and $SOURCE."""
    [agent] = json.loads(newcomer.docent("agent", "list", "--json", environment=environment).stdout)["agents"]
    sources = json.loads(newcomer.docent("source", "list", "--json", environment=environment).stdout)["sources"]
    return {"AGENT": agent["id"], "SOURCE": sources[0]["id"]}

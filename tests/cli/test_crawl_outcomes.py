"""How `docent crawl` ends, and what it leaves."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.cli import cli
from app.cli.demo.site_server import DemoSite, serve_demo_site


@pytest.fixture
def data(tmp_path: Path) -> dict[str, str]:
    return {"DOCENT_DATA": str(tmp_path), "DOCENT_LOG_LEVEL": "error", "DOCENT_CRAWL_DELAY_SECONDS": "0"}


@pytest.fixture(scope="module")
def site() -> Iterator[DemoSite]:
    with serve_demo_site() as serving:
        yield serving


def docent(data: dict[str, str], *words: str) -> Result:
    return CliRunner().invoke(cli, list(words), env=data)


def listed(data: dict[str, str], *words: str) -> Any:
    return json.loads(docent(data, *words, "--json").stdout)


def test_a_first_page_that_is_not_there_is_a_failure_that_leaves_nothing(data: dict[str, str], site: DemoSite) -> None:
    crawled = docent(data, "crawl", f"{site.base}/nowhere", "--allow", site.base.removeprefix("http://"))
    assert crawled.exit_code == 1
    assert "was not read: the page does not exist (status 404). Correct the address" in crawled.stderr
    assert listed(data, "agent", "list") == {"agents": []}


def test_a_website_that_is_away_is_a_failure_with_its_reason(data: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        away = f"127.0.0.1:{taken.getsockname()[1]}"
    crawled = docent(data, "crawl", away, "--allow", away)
    assert (crawled.exit_code, "was not read: " in crawled.stderr) == (1, True), crawled.output
    assert listed(data, "agent", "list") == {"agents": []}


def test_what_was_learnt_before_stays_when_a_later_reading_fails(data: dict[str, str], site: DemoSite) -> None:
    allowed = ("--allow", site.base.removeprefix("http://"), "--page")
    assert docent(data, "crawl", f"{site.base}/warranty/", *allowed).exit_code == 0
    assert docent(data, "crawl", f"{site.base}/nowhere/", *allowed).exit_code == 1
    [agent] = listed(data, "agent", "list")["agents"]
    [source] = listed(data, "source", "list", "--agent", agent["name"])["sources"]
    assert source["url"].endswith("/warranty/")


def test_a_website_that_is_read_again_keeps_its_settings_but_for_those_that_are_given(
    data: dict[str, str], site: DemoSite
) -> None:
    again = ("crawl", f"{site.base}/warranty/", "--page", "--allow", site.base.removeprefix("http://"))

    def settings(*options: str) -> dict[str, Any]:
        assert docent(data, *again, *options).exit_code == 0
        [source] = listed(data, "agent", "export")["sources"]
        return {"max_pages": source["max_pages"], "read_files": source.get("read_files", False)}

    assert settings("--files", "--max-pages", "7") == {"max_pages": 7, "read_files": True}
    assert settings() == {"max_pages": 7, "read_files": True}
    assert settings("--no-files") == {"max_pages": 7, "read_files": False}


def test_a_new_agent_is_called_as_its_website_calls_itself(data: dict[str, str], site: DemoSite) -> None:
    assert docent(data, "crawl", f"{site.base}/", "--page", "--allow", site.base.removeprefix("http://")).exit_code == 0
    assert [agent["name"] for agent in listed(data, "agent", "list")["agents"]] == ["Nimbrel"]


def test_a_private_website_names_the_option_that_lets_it_in(data: dict[str, str], site: DemoSite) -> None:
    place = site.base.removeprefix("http://")
    refused = docent(data, "crawl", place.replace("127.0.0.1", "localhost"))
    assert (refused.exit_code, f"--allow {place}" in refused.stderr) == (2, True), refused.output
    assert listed(data, "agent", "list") == {"agents": []}


def test_localhost_is_understood_with_what_is_allowed(data: dict[str, str], site: DemoSite) -> None:
    place = site.base.removeprefix("http://").replace("127.0.0.1", "localhost")
    assert docent(data, "crawl", f"{place}/warranty/", "--page", "--allow", place).exit_code == 0


def test_an_agent_that_has_read_nothing_says_so(data: dict[str, str]) -> None:
    docent(data, "agent", "create", "Helper")
    asked = listed(data, "ask", "How long is the warranty?")
    assert "Helper has no pages yet" in asked["note"]
    assert "docent crawl URL --agent" in docent(data, "ask", "How long is the warranty?").stdout


def test_addresses_are_whole_in_a_file(data: dict[str, str], site: DemoSite) -> None:
    address = f"{site.base}/warranty/?{'x' * 200}"
    docent(data, "crawl", address, "--page", "--allow", site.base.removeprefix("http://"))
    assert address in docent(data, "source", "list").stdout

"""Agents and sources are changed and deleted from the command line, by the API's rules."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.cli import cli
from app.cli.demo.site_server import serve_demo_site


@pytest.fixture
def data(tmp_path: Path) -> dict[str, str]:
    data = {"DOCENT_DATA": str(tmp_path), "DOCENT_LOG_LEVEL": "error", "DOCENT_CRAWL_DELAY_SECONDS": "0"}
    assert docent(data, "agent", "create", "Helper").exit_code == 0
    return data


def docent(data: dict[str, str], *words: str) -> Result:
    return CliRunner().invoke(cli, list(words), env=data)


def listed(data: dict[str, str], *words: str) -> Any:
    return json.loads(docent(data, *words, "--json").stdout)


def agents(data: dict[str, str]) -> list[tuple[str, int]]:
    return [(agent["name"], agent["live_version"]) for agent in listed(data, "agent", "list")["agents"]]


def test_an_agent_is_renamed_and_published(data: dict[str, str]) -> None:
    assert docent(data, "agent", "rename", "help", "Nimbrel").exit_code == 0
    assert agents(data) == [("Nimbrel", 2)]


def test_settings_are_changed_by_their_names_in_the_api(data: dict[str, str]) -> None:
    changed = docent(data, "agent", "set", "name=Nim", 'starter_prompts=["Hi?"]', "retrieval.rerank_budget_ms=900")
    assert changed.exit_code == 0, changed.output
    assert agents(data) == [("Nim", 2)]


def test_programs_are_told_the_settings_as_they_are_now(data: dict[str, str]) -> None:
    told = listed(data, "agent", "set", "retrieval.rerank_budget_ms=900", "--draft")
    assert told["is_published"] is False
    assert (told["draft"]["name"], told["draft"]["retrieval"]["rerank_budget_ms"]) == ("Helper", 900)


def test_a_draft_is_not_published(data: dict[str, str]) -> None:
    assert docent(data, "agent", "set", "name=Nim", "--draft").exit_code == 0
    assert agents(data) == [("Nim", 1)]


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ("nmae=x", "nmae: No such setting. Did you mean name?"),
        ("retrieval.rerank_budget=900", "Did you mean retrieval.rerank_budget_ms?"),
        ("retrieval.rerank_budget_ms=soon", "retrieval.rerank_budget_ms: "),
        ("allowed_origins=example.com", "allowed_origins"),
        ("name", "KEY=VALUE"),
        ("=x", "KEY=VALUE"),
        ("name=", "name: "),
    ],
)
def test_what_the_api_refuses_is_refused_in_its_words(data: dict[str, str], change: str, holds: str) -> None:
    refused = docent(data, "agent", "set", change)
    assert (refused.exit_code, holds in refused.stderr) == (2, True), refused.output
    assert "Input should" not in refused.stderr
    assert agents(data) == [("Helper", 1)]


def test_an_agent_is_deleted_when_one_is_sure(data: dict[str, str]) -> None:
    asked = docent(data, "agent", "delete", "Helper")
    assert (asked.exit_code, "--yes" in asked.stderr) == (2, True)
    assert docent(data, "agent", "delete", "Helper", "--yes").exit_code == 0
    assert agents(data) == []


def test_a_source_is_shown_with_its_pages_and_deleted(data: dict[str, str]) -> None:
    with serve_demo_site() as site:
        address, allowed = f"{site.base}/warranty/", site.base.removeprefix("http://")
        assert docent(data, "crawl", address, "--page", "--allow", allowed).exit_code == 0
    assert listed(data, "source", "show", address)["reading"]["counts"] == {"indexed": 1}
    assert "indexed" in docent(data, "source", "show", address).stdout
    [page] = listed(data, "source", "pages", "127.0", "--status", "indexed")["pages"]
    assert (page["url"], page["status"]) == (address, "indexed")
    assert listed(data, "source", "pages", "127.0", "--status", "not_found")["pages"] == []
    assert docent(data, "source", "delete", address, "--yes").exit_code == 0
    assert listed(data, "source", "list")["sources"] == []
    assert listed(data, "doctor")["agents"][0]["vectors"] == 0

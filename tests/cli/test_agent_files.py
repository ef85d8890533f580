"""An agent is taken from one installation as a file, and applied to another."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli import cli

_FILE = """settings: {name: Helper, tone: short}
curated_answers:
- {trigger: phrase, pattern: opening hours, answer: "From 9 to 17."}
sources:
- {kind: text, name: Holidays, text: We are closed in August.}
"""


@pytest.fixture
def data(tmp_path: Path) -> dict[str, str]:
    return installation(tmp_path / "one")


def installation(folder: Path) -> dict[str, str]:
    data = {"DOCENT_DATA": str(folder), "DOCENT_LOG_LEVEL": "error"}
    assert docent(data, "agent", "create", "Helper").exit_code == 0
    return data


def docent(data: dict[str, str], *words: str, given: str | None = None) -> Result:
    return CliRunner().invoke(cli, list(words), env=data, input=given)


def apply(data: dict[str, str], *words: str, file: str = _FILE) -> Result:
    return docent(data, "agent", "apply", "-", *words, given=file)


def diff(data: dict[str, str], file: str = _FILE) -> Result:
    return docent(data, "agent", "diff", "-", given=file)


def live_versions(data: dict[str, str]) -> dict[str, int | None]:
    agents = json.loads(docent(data, "agent", "list", "--json").stdout)["agents"]
    return {each["name"]: each["live_version"] for each in agents}


def curated(data: dict[str, str]) -> list[str]:
    found = json.loads(docent(data, "agent", "curated", "--json").stdout)["curated_answers"]
    return [each["pattern"] for each in found]


def test_diff_shows_what_apply_would_change_and_says_so_by_its_exit_code(data: dict[str, str]) -> None:
    shown = diff(data)
    assert shown.exit_code == 1, shown.output
    assert shown.stdout.splitlines() == [
        "~ settings: Helper",
        "    tone: friendly and plain -> short",
        "+ curated_answers: phrase: opening hours",
        "+ sources: Holidays",
    ]
    dry = apply(data, "--dry-run")
    assert (dry.exit_code, dry.stdout) == (0, shown.stdout)
    assert diff(data).stdout == shown.stdout


def test_apply_makes_a_draft_and_with_publish_what_visitors_have(data: dict[str, str]) -> None:
    applied = apply(data)
    assert (applied.exit_code, "--publish" in applied.stderr) == (0, True), applied.output
    assert (live_versions(data), curated(data)) == ({"Helper": 1}, [])
    published = apply(data, "--publish")
    assert published.exit_code == 0, published.output
    assert (live_versions(data), curated(data)) == ({"Helper": 2}, ["opening hours"])
    again = apply(data, "--publish", "--json")
    assert json.loads(again.stdout)["changes"] == []
    assert (diff(data).exit_code, live_versions(data)) == (0, {"Helper": 2})


def test_what_one_installation_exports_another_becomes(data: dict[str, str], tmp_path: Path) -> None:
    assert apply(data, "--publish").exit_code == 0
    taken = docent(data, "agent", "export").stdout
    other = installation(tmp_path / "two")
    assert apply(other, "--publish", file=taken).exit_code == 0
    assert docent(other, "agent", "export").stdout == taken
    as_json = docent(data, "agent", "export", "--json").stdout
    assert diff(other, as_json).exit_code == 0


def test_an_agent_is_made_where_there_is_none_of_the_name(data: dict[str, str]) -> None:
    file = _FILE.replace("Helper", "Shop")
    for _ in range(2):
        made = apply(data, "--create", "--publish", file=file)
        assert made.exit_code == 0, made.output
    assert live_versions(data) == {"Helper": 1, "Shop": 1}


@pytest.mark.parametrize(
    ("file", "holds"),
    [
        ("settings: {tome: short}", "settings.tome: There is no such field. Did you mean tone?"),
        ("curated_answers: [{trigger: phrase, pattern: '!', answer: Hi}]", "curated_answers.0.pattern: "),
        ("settings: [", "this is not valid YAML"),
    ],
)
def test_a_wrong_file_is_refused_by_its_field(data: dict[str, str], file: str, holds: str) -> None:
    refused = apply(data, file=file)
    assert (refused.exit_code, holds in refused.stderr) == (2, True), refused.output


def test_a_file_that_is_not_there_is_named(data: dict[str, str]) -> None:
    refused = docent(data, "agent", "diff", "gone.yaml")
    assert (refused.exit_code, "gone.yaml cannot be read" in refused.stderr) == (2, True), refused.output

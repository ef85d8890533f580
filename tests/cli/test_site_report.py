"""`docent report` over the demonstration site: a file, an object for programs, and nothing else."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.cli import cli
from app.cli.demo.site_server import DemoSite, serve_demo_site

_FEWEST_ANSWERED = 0.9


@pytest.fixture(scope="module")
def site() -> Iterator[DemoSite]:
    with serve_demo_site() as serving:
        yield serving


def docent(site: DemoSite, *words: str, folder: Path) -> Result:
    allowed = site.base.removeprefix("http://")
    settings = {"DOCENT_DATA": str(folder / "never"), "DOCENT_CRAWL_DELAY_SECONDS": "0", "DOCENT_LOG_LEVEL": "error"}
    settings |= {"DOCENT_WORKSPACE": "acme", "DOCENT_REDIS_URL": "redis://127.0.0.1:9"}
    settings |= {"DOCENT_MODEL_URL": "http://127.0.0.1:9/v1", "DOCENT_MODEL_NAME": "never-asked"}
    return CliRunner().invoke(cli, ["report", site.base, "--allow", allowed, *words], env=settings)


@pytest.fixture(scope="module")
def made(site: DemoSite, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str, Path]:
    folder = tmp_path_factory.mktemp("report")
    questions = folder / "questions.csv"
    questions.write_text("question\nhow long is the warranty on a station\nwhat is the capital of mongolia\n")
    to = folder / "nimbrel.html"
    result = docent(site, "--out", str(to), "--questions", str(questions), "--json", folder=folder)
    assert result.exit_code == 0, result.output
    [line] = result.stdout.splitlines()
    return json.loads(line), to.read_text("utf-8"), folder


def test_questions_of_the_headings_are_answered_from_their_pages(made: tuple[dict[str, Any], str, Path]) -> None:
    told, _, _ = made
    answered = told["shares"]["made"]["answered"]
    assert answered["of"] >= 40
    assert answered["count"] >= _FEWEST_ANSWERED * answered["of"]


def test_real_questions_are_answered_or_withheld(made: tuple[dict[str, Any], str, Path]) -> None:
    told, page, _ = made
    given = {each["question"]["text"]: each for each in told["answers"] if each["question"]["origin"] == "given"}
    warranty = given["how long is the warranty on a station"]
    assert warranty["verdict"] == "answered"
    assert any("3 years" in quote["text"] for quote in warranty["quotes"])
    assert given["what is the capital of mongolia"]["verdict"] == "withheld"
    assert "what is the capital of mongolia" in page


def test_pages_that_were_not_read_say_why(made: tuple[dict[str, Any], str, Path]) -> None:
    told, page, _ = made
    unread = {each["status"]: each for each in told["unread"]}
    assert unread["blocked_by_robots"]["url"].endswith("/internal/margins.html")
    assert "robots.txt disallows /internal/margins.html" in page
    assert "not_found" in unread


def test_a_faultless_site_is_told_to_have_no_faults(made: tuple[dict[str, Any], str, Path]) -> None:
    told, _, _ = made
    assert (told["contradictions"], told["ageing"]) == ([], [])


def test_nothing_but_the_file_is_left(made: tuple[dict[str, Any], str, Path]) -> None:
    _, _, folder = made
    assert sorted(each.name for each in folder.iterdir()) == ["nimbrel.html", "questions.csv"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--questions", "{folder}/nowhere.csv"), "--questions: "),
        (("--questions", "{folder}/empty.csv"), "The file has no questions."),
        (("--out", "{folder}/nowhere/report.html"), "--out: "),
    ],
)
def test_a_file_that_is_not_there_is_told_before_anything_is_read(
    site: DemoSite, tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    (tmp_path / "empty.csv").write_text("\n")
    result = docent(site, *(word.format(folder=tmp_path) for word in words), folder=tmp_path)
    assert (result.exit_code, told in result.stderr) == (2, True), result.output
    assert "Reading" not in result.stderr


def test_a_private_website_names_the_option_that_lets_it_in(site: DemoSite, tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["report", site.base, "--out", str(tmp_path / "x.html")])
    assert (result.exit_code, "--allow 127.0.0.1:" in result.stderr) == (2, True), result.output


def test_a_website_without_a_page_is_a_failure_with_its_reason(site: DemoSite, tmp_path: Path) -> None:
    allowed = site.base.removeprefix("http://")
    words = ["report", f"{site.base}/nowhere", "--allow", allowed, "--out", str(tmp_path / "x.html")]
    result = CliRunner().invoke(cli, words, env={"DOCENT_CRAWL_DELAY_SECONDS": "0"})
    assert (result.exit_code, "was not read: the page does not exist" in result.stderr) == (1, True), result.output
    assert not (tmp_path / "x.html").exists()

"""`docent import` over the demonstration site: what would have been answered, and what is kept of it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.answers.curated.curated_answer import CuratedAnswer
from app.answers.curated.records import CuratedAnswerRecords
from app.bootstrap.infrastructure import open_stored
from app.cli import cli
from app.cli.demo.site_server import serve_demo_site
from app.cli.local_operator import known_agents, local_operator
from app.core.list_page import PageRequest
from app.gaps.gap import Gap
from app.gaps.records.gaps import GapRecords
from app.quality.golden_question import GoldenQuestion
from app.quality.records.golden_questions import GoldenQuestionRecords
from app.settings import read_settings

WARRANTY = "How long is the warranty on a station?"
RENT = "Can I rent a helicopter for a weekend?"
QUESTIONS = f"""question,answer
{WARRANTY},3 years.
"Hi, how long is the warranty on a station",
{RENT},
{RENT},"No, but ask Anna at anna@example.org."
Is there a helicopter to rent for a weekend?,
hello,hello
"""
NEVER = {"DOCENT_MODEL_URL": "http://127.0.0.1:9/v1", "DOCENT_MODEL_NAME": "never-asked"}


def docent(data: Path, *words: str, code: int = 0, **settings: str) -> Result:
    environment = {"DOCENT_DATA": str(data), "DOCENT_CRAWL_DELAY_SECONDS": "0", "DOCENT_LOG_LEVEL": "error"} | NEVER
    result = CliRunner().invoke(cli, list(words), env=environment | settings)
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result


def imported(data: Path, *words: str) -> dict[str, Any]:
    [line] = docent(data, "import", "csv", str(data.parent / "asked.csv"), "--json", *words).stdout.splitlines()
    told: dict[str, Any] = json.loads(line)
    return told


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder after the demonstration site was read."""
    folder = tmp_path_factory.mktemp("import")
    (folder / "asked.csv").write_text(QUESTIONS)
    with serve_demo_site() as site:
        docent(folder / "data", "crawl", f"{site.base}/", "--allow", site.base.removeprefix("http://"))
    return folder / "data"


def kept(data: Path) -> tuple[list[Gap], list[CuratedAnswer], list[GoldenQuestion]]:
    async def read() -> tuple[list[Gap], list[CuratedAnswer], list[GoldenQuestion]]:
        async with open_stored(read_settings(data=data)) as base:
            actor = await local_operator(base)
            [agent] = await known_agents(base, actor)
            return await base.record.of_workspace(actor.workspace_id).read(
                lambda tx: (
                    list(GapRecords(tx).page(agent.id, None, PageRequest(50)).items),
                    CuratedAnswerRecords(tx).answers(agent.id),
                    GoldenQuestionRecords(tx).questions(agent.id),
                )
            )

    return asyncio.run(read())


def test_questions_with_one_meaning_are_asked_once_and_without_a_model(data: Path) -> None:
    told = imported(data)
    assert (told["conversations"], told["questions"], told["added"]) == (6, 5, {})
    groups = {each["question"]: each for each in told["groups"]}
    assert groups[WARRANTY]["count"] == 2
    assert groups[WARRANTY]["is_answered"]
    assert any("/warranty/" in page for page in groups[WARRANTY]["pages"])
    assert groups[RENT]["count"] == 3
    assert not groups[RENT]["is_answered"]
    assert (told["answered"]["count"], told["answered"]["of"]) == (2, 5)
    assert "anna@example.org" not in json.dumps(told)
    assert kept(data) == ([], [], [])


def test_gaps_answers_and_golden_questions_are_kept_once(data: Path) -> None:
    wanted = ("--gaps", "--answers", "--golden")
    assert imported(data, *wanted)["added"] == {"questions_of_gaps": 3, "proposed_answers": 1, "golden_questions": 1}
    gaps, answers, golden = kept(data)
    assert sum(gap.count for gap in gaps) == 3
    [answer] = answers
    assert (answer.is_on, answer.answer) == (False, "No, but ask Anna at [email].")
    assert answer.patterns[0] == RENT
    [question] = golden
    assert question.question == WARRANTY
    assert any("/warranty/" in page for page in question.pages)
    assert set(imported(data, *wanted)["added"].values()) == {0}
    assert kept(data) == (gaps, answers, golden)


def test_people_read_a_table_of_what_is_not_answered(data: Path) -> None:
    shown = docent(data, "import", "csv", str(data.parent / "asked.csv")).stdout
    assert "6 conversations, 5 with a question, in 2 groups." in shown
    assert "Would have answered 2 of 5 questions" in shown
    assert RENT in shown
    assert WARRANTY not in shown


def test_a_remote_embedder_gets_questions_only_if_that_is_wanted(data: Path) -> None:
    settings = {"DOCENT_EMBEDDINGS_URL": "http://127.0.0.1:9/v1", "DOCENT_EMBEDDINGS_MODEL": "never-asked"}
    refused = docent(data, "import", "csv", str(data.parent / "asked.csv"), code=2, **settings)
    assert "Add --send" in refused.stderr


def test_a_file_of_another_kind_is_refused(data: Path) -> None:
    refused = docent(data, "import", "intercom", str(data.parent / "asked.csv"), code=2)
    assert "conversation_parts" in refused.stderr
    nowhere = docent(data, "import", "csv", str(data.parent / "nowhere.csv"), code=2)
    assert "nowhere.csv" in nowhere.stderr

"""What `docent doctor` says of the models: each is asked once, and what answered is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import cli
from tests.doubles.fake_openai import Answer, FakeOpenAI, Refuse, Say


def doctor(data: Path, *options: str, **environment: str) -> tuple[int, str]:
    told = {"DOCENT_DATA": str(data), "DOCENT_LOG_LEVEL": "error", **environment}
    result = CliRunner().invoke(cli, ["doctor", *options], env=told)
    return result.exit_code, result.stdout


def report_of(data: Path, answer: Answer, **environment: str) -> tuple[int, dict[str, Any], FakeOpenAI]:
    with FakeOpenAI().running() as fake:
        fake.plays(answer)
        told = {"DOCENT_MODEL_URL": fake.url, "DOCENT_MODEL_NAME": "gpt-5-mini", **environment}
        code, stdout = doctor(data, "--json", **told)
        return code, json.loads(stdout), fake


def test_chat_model_embedder_and_reranker_are_asked_once(tmp_path: Path) -> None:
    code, report, fake = report_of(tmp_path, Say(["ready"]))

    assert code == 0
    assert [check["part"] for check in report["models"]] == ["model", "embedder", "reranker"]
    assert report["models"][0]["answered"] == 'answered "ready"'
    assert report["models"][1]["answered"].startswith("returned a vector of ")
    assert len(fake.asked) == 1


def test_the_fallback_is_asked_as_well(tmp_path: Path) -> None:
    with FakeOpenAI().running() as second:
        fallback = {"DOCENT_FALLBACK_MODEL_URL": second.url, "DOCENT_FALLBACK_MODEL_NAME": "spare"}
        _, report, _ = report_of(tmp_path, Say(["ready"]), **fallback)

    assert [check["name"] for check in report["models"][:2]] == ["gpt-5-mini", "spare"]
    assert len(second.asked) == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(Refuse(401), "refused the API key"), (Refuse(404), "knows no such model"), (Say([]), "gave an empty answer")],
    ids=repr,
)
def test_a_model_that_does_not_answer_is_a_finding_with_its_reason(tmp_path: Path, answer: Answer, reason: str) -> None:
    code, report, _ = report_of(tmp_path, answer)

    [finding] = report["findings"]
    assert code == 1
    assert finding.startswith("Model: The model gpt-5-mini at 127.0.0.1 ")
    assert reason in finding


def test_the_answers_are_told_in_words_too(tmp_path: Path) -> None:
    code, told = doctor(tmp_path)

    assert code == 0
    assert "returned a vector of " in told
    assert "reranker as shipped: returned the score" in told

"""`docent eval` on our own questions over the demonstration site: its shape, and the floor under search quality."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.cli import cli
from tests.demo_set import write_demo_set

runner = CliRunner()

FLOORS = {
    ("vector", "page_hit@10"): 0.91,
    ("keyword", "page_hit@10"): 0.89,
    ("fused", "page_hit@5"): 0.89,
    ("fused", "page_mrr@10"): 0.80,
    ("reranked", "page_hit@5"): 0.89,
    ("reranked", "page_hit@10"): 0.95,
    ("reranked", "page_mrr@10"): 0.80,
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = write_demo_set(tmp_path_factory.mktemp("sets") / "demo")
    result = runner.invoke(cli, ["eval", str(folder), "--chunks", "own", "--json"])
    assert result.exit_code == 0, result.output
    [line] = result.stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def test_the_result_is_one_object_of_stages_and_answerability(measured: dict[str, Any]) -> None:
    assert (measured["set"], measured["questions"], measured["degraded"]) == ("demo", 60, 0)
    assert list(measured["stages"]) == ["vector", "keyword", "fused", "reranked"]
    assert measured["answerability"]["off_topic"].keys() == {"auroc", "best_f1", "threshold", "gap_f1"}
    assert measured["seconds"] > 0


def test_search_stays_as_good_as_it_was(measured: dict[str, Any]) -> None:
    reached = {place: measured["stages"][place[0]][place[1]] for place in FLOORS}
    assert all(reached[place] >= floor for place, floor in FLOORS.items()), reached


def test_what_is_off_topic_is_told_apart_and_held_back(measured: dict[str, Any]) -> None:
    assert measured["answerability"]["off_topic"]["auroc"] >= 0.95
    assert measured["answerability"]["near_miss"]["auroc"] >= 0.75
    assert measured["held_back"]["off_topic"] >= 0.75  # one of the four has a confidence of .25 as well
    assert measured["held_back"]["answerable"] <= 0.3


@pytest.fixture
def tiny_set(tmp_path: Path) -> Path:
    rows: dict[str, list[dict[str, Any]]] = {
        "documents": [{"doc_id": "prices", "title": "Prices", "lang": "en"}, {"doc_id": "preise", "lang": "de"}],
        "chunks": [
            {"chunk_id": "a", "doc_id": "prices", "ord": 0, "text": "Plus costs four euro a month."},
            {"chunk_id": "b", "doc_id": "prices", "ord": 1, "text": "Basic is free for everyone."},
            {"chunk_id": "c", "doc_id": "preise", "ord": 0, "text": "Plus kostet vier Euro im Monat."},
        ],
        "queries": [
            {"qid": "1", "query": "What does Plus cost?", "relevant": ["a"], "answerable": True, "lang": "en"},
            {"qid": "2", "query": "Was kostet Plus im Monat?", "relevant": ["c"], "answerable": True, "lang": "de"},
            {"qid": "3", "query": "Is Basic free?", "relevant": ["b"], "answerable": True, "lang": "en"},
        ],
    }
    for name, lines in rows.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return tmp_path


def test_a_sample_of_given_chunks_is_measured_by_chunk(tiny_set: Path) -> None:
    result = runner.invoke(cli, ["eval", str(tiny_set), "--limit", "2", "--json"])

    found = json.loads(result.stdout)
    assert found["questions"] == 2
    assert found["stages"]["keyword"]["pass@1"] == 1
    assert found["languages"]["de"]["fused"]["hit@5"] == 1
    assert found["abstention"]["de"]["held_back"] == {"answerable": 0}


def test_only_the_stages_that_are_named_are_reported(tiny_set: Path) -> None:
    found = json.loads(runner.invoke(cli, ["eval", str(tiny_set), "--stages", "keyword,fused", "--json"]).stdout)
    assert list(found["stages"]) == ["keyword", "fused"]
    assert list(found["languages"]["de"]) == ["keyword", "fused"]

    refused = runner.invoke(cli, ["eval", str(tiny_set), "--stages", "keyword,magic"])
    assert refused.exit_code == 2
    assert "vector, keyword, fused, reranked" in refused.stderr


def test_of_an_installation_in_the_environment_it_takes_the_models_alone(tiny_set: Path) -> None:
    installation = {"DOCENT_WORKSPACE": "acme", "DOCENT_DATABASE_ROLE": "docent_app"}
    result = runner.invoke(cli, ["eval", str(tiny_set), "--stages", "keyword", "--json"], env=installation)
    assert (result.exit_code, list(json.loads(result.stdout)["stages"])) == (0, ["keyword"]), result.stderr


def test_each_mechanism_is_measured_by_itself(tiny_set: Path) -> None:
    result = runner.invoke(cli, ["eval", str(tiny_set), "--ablate", "--json"])

    found = {mechanism["name"]: mechanism for mechanism in json.loads(result.stdout)["mechanisms"]}
    assert found["cross-encoder's vote"]["ms"] > 0
    assert found["RRF, k 10"]["settings"] == {"fusion": "rrf", "rrf_k": 10}
    assert not any(mechanism["is_default"] for mechanism in found.values())
    assert all(len(gain) == 3 for mechanism in found.values() for gain in mechanism["gains"].values())


@pytest.mark.parametrize("words", [[], ["nowhere"], ["."]])
def test_without_a_set_it_says_what_a_set_looks_like(words: list[str]) -> None:
    result = runner.invoke(cli, ["eval", *words])

    assert result.exit_code == 2
    assert '"relevant": [chunk_id]' in result.stderr
    assert result.stdout == ""

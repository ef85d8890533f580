"""Docent beside other frameworks: who is asked what, what is counted of it, and what a worker says."""

import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.peers.asking import Contender, Score, best_peer, is_right, measure, working
from bench.peers.preparation import Prepared
from bench.peers.worker import serve
from bench.sites.question_set import Question

PAGE_OF = {"one": "start.html", "two": "start.html", "three": "set.html"}

# Finds all chunks in the order that it is given, and says that its first round took a second a question.
_SCRIPT = """
import json, sys
order, first_round, then, folder = sys.argv[1].split(","), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
print(json.dumps({"ready": True}), flush=True)
for number, line in enumerate(sys.stdin):
    json.loads(line)
    print(json.dumps({"found": order, "seconds": 1.0 if number < first_round else then}), flush=True)
"""


def contender(name: str, order: Sequence[str], seconds: float, *, questions: int) -> Contender:
    return Contender(name, (sys.executable, "-c", _SCRIPT, ",".join(order), str(questions), str(seconds)))


def prepared(folder: Path, *pages: str) -> Prepared:
    """A site with a question for each of these pages."""
    folder.mkdir()
    return Prepared(
        folder, tuple(Question("site", "howto", f"What is on {page}?", ((".",),), (page,)) for page in pages), PAGE_OF
    )


def test_the_right_page_counts_only_among_the_first_chunks() -> None:
    found = ["one", "two", "three"]
    assert is_right(found, 1, PAGE_OF, {"start.html"})
    assert not is_right(found, 2, PAGE_OF, {"set.html"})
    assert is_right(found, 3, PAGE_OF, {"set.html"})


def test_every_contender_answers_all_questions_and_the_round_that_warms_up_is_not_counted(tmp_path: Path) -> None:
    sites = [prepared(tmp_path / "a", "start.html", "set.html"), prepared(tmp_path / "b", "set.html", "set.html")]
    scores = measure(
        sites,
        [
            contender("ours", ["three", "one"], 0.002, questions=2),
            contender("theirs", ["one", "two", "three"], 0.004, questions=2),
        ],
        rounds=3,
    )
    assert scores["ours"].milliseconds == pytest.approx([2.0] * 3)
    assert scores["theirs"].milliseconds == pytest.approx([4.0] * 3)
    assert scores["ours"].right == {1: 3, 5: 4}
    assert scores["theirs"].right == {1: 1, 5: 4}


def test_the_best_peer_is_the_one_that_costs_least_and_the_ratio_is_the_median_of_the_rounds() -> None:
    scores = {"ours": Score([2.0, 3.0, 9.0]), "dear": Score([40.0, 40.0, 40.0]), "cheap": Score([4.0, 4.0, 3.0])}
    assert best_peer(scores, "ours") == ("cheap", 0.75)


def test_a_worker_that_ends_is_named_with_what_it_said(tmp_path: Path) -> None:
    broken = Contender("broken", (sys.executable, "-c", "raise SystemExit('no such store')"))
    with pytest.raises(SystemExit, match=r"broken ended with 1:\s+no such store"), working(broken, tmp_path):
        raise AssertionError("it is not ready")


def test_a_worker_answers_line_by_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('"first"\n"second"\n'))
    serve(lambda question: [f"chunk of the {question}"])
    ready, *answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert ready == {"ready": True}
    assert [answer["found"] for answer in answers] == [["chunk of the first"], ["chunk of the second"]]
    assert all(answer["seconds"] >= 0 for answer in answers)

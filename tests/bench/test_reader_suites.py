"""How the suites of main content are scored."""

import gzip
import io
import json
import tarfile
from pathlib import Path

import pytest

from bench.reader_suites import SuiteScore, main, plain_text, suite_score

PAGE = "<main><h1>Lamp</h1><p>It shines for forty hours, and costs 30 euros in every shop of the town.</p></main>"


def test_markdown_is_compared_without_its_marks() -> None:
    markdown = "# Lamp\n\n- **It** ~~shines~~\n\n| A | B |\n| --- | --- |\n| `1` | [two](/b) |"
    assert plain_text(markdown) == "Lamp It shines A B 1 two"


def test_texts_that_must_and_must_not_be_there_are_counted() -> None:
    rows = [{"page": "a", "wanted": ["one two", "lost"], "unwanted": ["three", "gone"]}]
    score = suite_score(rows, {"a": "one two three"})
    assert score == SuiteScore(0.5, 0.5, 0)
    assert score.f1 == 0.5


def test_a_body_is_compared_by_runs_of_words() -> None:
    rows = [{"page": "a", "body": "one two three four five"}, {"page": "b", "body": "six seven eight nine"}]
    assert suite_score(rows, {"a": "one two three four", "b": ""}) == SuiteScore(0.5, 0.25, 1)


def test_the_readers_stand_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"suite": "own", "page": "a.html", "url": "https://example.com/", "wanted": ["forty hours"], "unwanted": []}
    (tmp_path / "expected.jsonl.gz").write_bytes(gzip.compress(json.dumps(row).encode()))
    with tarfile.open(tmp_path / "pages.tar.xz", "w:xz") as archive:
        member = tarfile.TarInfo("a.html")
        member.size = len(PAGE)
        archive.addfile(member, io.BytesIO(PAGE.encode()))
    main([str(tmp_path)])
    printed = capsys.readouterr().out
    assert "own" in printed
    assert "Docent" in printed
    assert "trafilatura" in printed

"""How a run of the benchmarks is kept, and compared with the one that is committed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench import suite
from bench.load import Finding, ratios
from bench.results import COMMITTED, BadResults, Comparison, Results, compared, leave_out, read_results

MACHINE: dict[str, str | int] = {"processor": "Example 1", "cores": 2, "memory_gib": 8}
COMMITTED_ONES = Results(
    machine=MACHINE,
    versions={"docent": "0.1.0"},
    date="2026-11-22",
    ratios={"question_cpu_vs_bare": 2.0, "start_seconds": 2.0},
    benchmarks={"question": {"rounds": 5}},
)


def of(machine: dict[str, str | int] = MACHINE, **ratios: float) -> Results:
    return replace(COMMITTED_ONES, machine=machine, ratios=ratios)


def test_a_figure_may_grow_by_fifteen_percent_and_shrink_by_any() -> None:
    assert compared(of(question_cpu_vs_bare=2.29, start_seconds=0.2), COMMITTED_ONES).failures == ()


def test_a_figure_that_grew_more_fails_with_both_values_and_the_limit() -> None:
    found = compared(of(question_cpu_vs_bare=2.31, start_seconds=2.0), COMMITTED_ONES)
    assert found.failures == ("question_cpu_vs_bare: 2.31; 2 is committed, and 2.3 (15% more) the limit",)


def test_a_figure_that_is_no_longer_measured_fails() -> None:
    found = compared(of(start_seconds=2.0), COMMITTED_ONES)
    assert found.failures == ("question_cpu_vs_bare: not measured; 2 is committed",)


def test_a_figure_that_this_machine_cannot_measure_is_not_compared_and_the_reason_is_told() -> None:
    lacking = {"question": {"not_measured": {"question_cpu_vs_bare": "no server"}}}
    found = compared(replace(of(start_seconds=2.0), benchmarks=lacking), COMMITTED_ONES)
    assert found == Comparison((), ("question_cpu_vs_bare: 2 is committed; not measured here: no server",))


def test_a_benchmark_that_lacks_something_leaves_its_reason_in_the_results(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    leave_out("crawl_vs_scrapy", "Scrapy is not installed", as_json=True)
    said = json.loads(capsys.readouterr().out)
    monkeypatch.setattr(suite, "_run", lambda name, words: dict(said) if name == "crawl" else {"ratios": {name: 1.0}})
    results = suite.measure(rounds=2)
    assert results.not_measured == {"crawl_vs_scrapy": "Scrapy is not installed"}
    assert "crawl_vs_scrapy" not in results.ratios
    assert {"peers", "load", "rerank"} <= set(results.ratios)
    with pytest.raises(SystemExit, match="Scrapy is not installed"):
        leave_out("crawl_vs_scrapy", "Scrapy is not installed", as_json=False)


def test_the_first_token_is_kept_only_where_every_stream_was_complete() -> None:
    def measured(complete: float) -> dict[str, list[Finding]]:
        goal = Finding("complete", complete, "%", 100, at_least=True)
        return {"first-token": [goal, Finding("first token, p95", 250.0, "ms", 400)]}

    assert ratios(measured(100), 300) == {"streams_300_first_token_p95_ms": 250.0}
    assert ratios(measured(99.7), 300) == {}


def test_a_figure_that_is_new_has_nothing_to_be_compared_with() -> None:
    now = of(question_cpu_vs_bare=2.0, start_seconds=2.0, index_vs_embedder=9.0)
    assert compared(now, COMMITTED_ONES).failures == ()


def test_seconds_of_another_machine_are_not_compared_but_ratios_are() -> None:
    other = MACHINE | {"processor": "Example 2"}
    found = compared(of(other, question_cpu_vs_bare=3.0, start_seconds=9.0), COMMITTED_ONES)
    assert [failure.partition(":")[0] for failure in found.failures] == ["question_cpu_vs_bare"]
    assert found.skipped == ("start_seconds: 9; the committed 2 is another machine's",)


def test_some_benchmarks_are_checked_against_their_own_figures_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = {"indexing": "index_vs_embedder", "at_rest": "start_seconds"}
    committed = replace(COMMITTED_ONES, ratios={"index_vs_embedder": 1.2, "start_seconds": 2.0})
    monkeypatch.setattr(suite, "read_results", lambda file: committed)
    monkeypatch.setattr(suite, "own_environment", lambda: None)
    monkeypatch.setattr(suite, "_run", lambda name, words: {"ratios": {figures[name]: 1.3}})
    monkeypatch.setattr("sys.argv", ["suite", "--check", "--only", "indexing"])
    suite.main()
    assert capsys.readouterr().out.split() == ["index_vs_embedder", "1.3"]
    monkeypatch.setattr(suite, "_run", lambda name, words: {"ratios": {figures[name]: 1.5}})
    with pytest.raises(SystemExit, match=r"index_vs_embedder: 1.5; 1.2 is committed"):
        suite.main()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--check", "--only", "indexing,speed"], "there is no benchmark speed"),
        (["--only", "indexing"], "--only needs --check"),
    ],
)
def test_benchmarks_that_cannot_be_checked_are_refused(
    words: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["suite", *words])
    with pytest.raises(SystemExit):
        suite.main()
    assert said in capsys.readouterr().err


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    COMMITTED_ONES.write(tmp_path / "results.json")
    assert read_results(tmp_path / "results.json") == COMMITTED_ONES


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{", "is not what make bench writes"),
        ('{"ratios": {}}', "is not what make bench writes"),
        (
            '{"machine": {}, "versions": {}, "date": "", "benchmarks": {}, "ratios": {"start_seconds": null}}',
            "ratios.start_seconds is None, not a number above 0",
        ),
    ],
    ids=["no JSON", "fields are missing", "null for what was not measured"],
)
def test_a_file_of_another_shape_is_refused_with_what_to_do(tmp_path: Path, written: str, said: str) -> None:
    (tmp_path / "results.json").write_text(written)
    with pytest.raises(BadResults, match=said) as refused:
        read_results(tmp_path / "results.json")
    assert "make bench" in str(refused.value)


def test_a_missing_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadResults, match=r"results.json is not there. Run make bench"):
        read_results(tmp_path / "results.json")


def test_the_committed_figures_can_be_compared_with() -> None:
    committed = read_results(COMMITTED)
    assert compared(committed, committed) == Comparison((), ())
    assert set(committed.ratios) >= {"question_cpu_vs_bare", "token_cpu_vs_sse_starlette", "start_seconds"}

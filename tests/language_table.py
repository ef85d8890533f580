"""Measures every language of four sets and prints one table: `python -m tests.language_table DATA DIR [BEFORE]`.

DATA has the folders xquad, faq_multi and help_centres. DIR keeps what was made, crawled and answered, and
`languages.json`, which a later run reads as BEFORE to print both figures.
"""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests import translated_questions

_DOCENT: Final = Path(sys.executable).with_name("docent")
_QUESTIONS: Final = 50  # of each kind, in each language
_ENGLISH: Final = "en"

Rows = list[dict[str, Any]]
Figures = dict[str, dict[str, float]]  # by language, then by the column's title


def half_of_the_articles(documents: Rows, chunks: Rows, queries: Rows) -> tuple[Rows, Rows, Rows]:
    """Every second article of each language is taken out, and its questions have no answer."""
    left_out: set[str] = set()
    for language in dict.fromkeys(document["lang"] for document in documents):
        left_out |= set([each["doc_id"] for each in documents if each["lang"] == language][1::2])
    asked: Rows = []
    for row in queries:
        if left_out.isdisjoint(row["relevant_docs"]):
            asked.append(row)
        else:
            asked.append(row | {"relevant": [], "relevant_docs": [], "answerable": False, "kind": "out_of_corpus"})
    return _without(documents, left_out), _without(chunks, left_out), _first_of_each(asked)


def as_it_is(documents: Rows, chunks: Rows, queries: Rows) -> tuple[Rows, Rows, Rows]:
    return documents, chunks, _first_of_each(queries)


def over_english(documents: Rows, chunks: Rows, queries: Rows) -> tuple[Rows, Rows, Rows]:
    """Questions in every other language over the English paragraphs, which say the same."""
    others = {each["doc_id"] for each in documents if each["lang"] != _ENGLISH}
    asked = [
        row | {"relevant": _in_english(row["relevant"]), "relevant_docs": _in_english(row["relevant_docs"])}
        for row in queries
        if row["lang"] != _ENGLISH
    ]
    return _without(documents, others), _without(chunks, others), _first_of_each(asked)


_SETS: Final[Mapping[str, tuple[str, Callable[[Rows, Rows, Rows], tuple[Rows, Rows, Rows]]]]] = {
    "xquad": ("xquad", half_of_the_articles),
    "faq_multi": ("faq_multi", as_it_is),
    "xquad over English": ("xquad", over_english),
}


def of_report(name: str, report: Mapping[str, Any]) -> Figures:
    """The figures of one set, from what `docent eval --json` printed."""
    figures: Figures = {}
    for language, stages in report["languages"].items():
        held_back = report["abstention"][language]["held_back"]
        figures[language] = {f"{name}: hit@5": stages["fused"]["hit@5"], f"{name}: withheld": held_back["answerable"]}
        if "out_of_corpus" in held_back:
            figures[language][f"{name}: held back"] = held_back["out_of_corpus"]
    return figures


def of_answers(counts: Mapping[str, Mapping[str, int]]) -> Figures:
    """The figures of the translated questions, as shares of the answerable ones and of the others."""
    figures: Figures = {}
    for language, of in counts.items():
        answerable = sum(of.get(verdict, 0) for verdict in ("right", "wrong", "refused"))
        others = of.get("honest", 0) + of.get("made_up", 0)
        figures[language] = {"help centres: right": of.get("right", 0) / max(1, answerable)}
        figures[language]["help centres: held back"] = of.get("honest", 0) / max(1, others)
    return figures


def table(now: Figures, before: Figures) -> str:
    """In Markdown, a row for each language; with two figures in a cell where both are known and differ."""
    titles = list(dict.fromkeys(title for figures in now.values() for title in figures))
    lines = ["| | " + " | ".join(titles) + " |", "|---" * (len(titles) + 1) + "|"]
    for language in sorted(now, key=lambda each: (each != _ENGLISH, each)):
        cells = [_cell(now[language].get(title), before.get(language, {}).get(title)) for title in titles]
        lines.append(f"| {language} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(now: float | None, before: float | None) -> str:
    if now is None:
        return ""
    shown = f"{now:.2f}".removeprefix("0")
    earlier = shown if before is None else f"{before:.2f}".removeprefix("0")
    return shown if earlier == shown else f"{earlier}, **{shown}**"


def _first_of_each(queries: Rows) -> Rows:
    """The same questions of each language and kind in every run."""
    counts: dict[tuple[str, str], int] = {}
    kept: Rows = []
    for row in queries:
        key = row["lang"], row["kind"]
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= _QUESTIONS:
            kept.append(row)
    return kept


def _without(rows: Rows, documents: set[str]) -> Rows:
    return [row for row in rows if row["doc_id"] not in documents]


def _in_english(ids: Iterable[str]) -> list[str]:
    return [f"{_ENGLISH}{each[each.index('-') :]}" for each in ids]


def _read(file: Path) -> Rows:
    return [json.loads(line) for line in gzip.decompress(file.read_bytes()).decode().splitlines()]


def _evaluated(folder: Path) -> dict[str, Any]:
    run = [str(_DOCENT), "eval", str(folder), "--stages", "fused", "--json"]
    done = subprocess.run(run, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main(data: Path, kept: Path, before: Sequence[Path]) -> None:
    now: Figures = {}
    for name, (source, made_of) in _SETS.items():
        folder = kept / name.replace(" ", "-")
        folder.mkdir(parents=True, exist_ok=True)
        files = [f"{part}.jsonl.gz" for part in ("documents", "chunks", "queries")]
        for file, rows in zip(files, made_of(*(_read(data / source / file) for file in files)), strict=True):
            lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
            (folder / file).write_bytes(gzip.compress(lines.encode()))
        for language, figures in of_report(name, _evaluated(folder)).items():
            now.setdefault(language, {}).update(figures)
    counts = translated_questions.asked(data / "help_centres", kept / "help-centres")
    for language, figures in of_answers(counts).items():
        now.setdefault(language, {}).update(figures)
    earlier: Figures = json.loads(before[0].read_text("utf-8")) if before else {}
    (kept / "languages.json").write_text(json.dumps(now), "utf-8")
    sys.stdout.write(f"{table(now, earlier)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), [Path(each) for each in sys.argv[3:] if each])

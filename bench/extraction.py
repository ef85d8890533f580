"""`python -m bench.extraction`: what our extraction keeps and drops of real pages, beside plain trafilatura."""

import argparse
import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import trafilatura
from rich.console import Console
from rich.table import Table

from bench.extracting.pages import MarkedPage, fetch_missing, marked_pages
from bench.extracting.score import ExtractionScore, score, total, verdict
from crawler.extract.extraction import extract_page

_PACKAGES = Path(".venv/bench-pages")
_OURS = "ours"
_ROUNDS = 3

Extract = Callable[[bytes, str], str]


def _ours(body: bytes, url: str) -> str:
    return extract_page(body, url, None).markdown


def _trafilatura(*, favor_recall: bool = False, favor_precision: bool = False) -> Extract:
    def extract(body: bytes, url: str) -> str:
        text = trafilatura.extract(
            body,
            url=url,
            output_format="markdown",
            include_tables=True,
            include_links=False,
            include_comments=False,
            favor_recall=favor_recall,
            favor_precision=favor_precision,
        )
        return text or ""

    return extract


EXTRACTORS: dict[str, Extract] = {
    _OURS: _ours,
    "trafilatura": _trafilatura(),
    "trafilatura, recall": _trafilatura(favor_recall=True),
    "trafilatura, precision": _trafilatura(favor_precision=True),
}


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    console = Console(stderr=arguments.json)
    pages = marked_pages()
    if arguments.page:
        _explain([page for page in pages if page.name == arguments.page], console)
        return
    for problem in fetch_missing(pages, _PACKAGES):
        console.print(f"Not fetched: {problem}")
    bodies = {page.name: page.body(_PACKAGES) for page in pages}
    absent = [page.name for page in pages if bodies[page.name] is None]
    if absent:
        console.print(f"Left out, as this machine has no such page: {', '.join(absent)}")
    measured = [(page, body) for page in pages if (body := bodies[page.name]) is not None]
    scores = {
        name: {page.name: score(page, extract(body, page.url)) for page, body in measured}
        for name, extract in EXTRACTORS.items()
    }
    times = {name: _milliseconds(extract, measured) for name, extract in EXTRACTORS.items()}
    if arguments.json:
        print(json.dumps(_summary([page for page, _ in measured], scores, times)))
    else:
        _print([page for page, _ in measured], scores, times, console)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.extraction", description=__doc__)
    parser.add_argument("--page", help="show what is lost and leaked of one page, by every extractor")
    parser.add_argument("--json", action="store_true", help="one object on one line")
    return parser.parse_args(argv)


def _milliseconds(extract: Extract, pages: Sequence[tuple[MarkedPage, bytes]]) -> float:
    """Of CPU for all pages, the median of a few rounds."""
    rounds = []
    for _ in range(_ROUNDS):
        began = perf_counter()
        for page, body in pages:
            extract(body, page.url)
        rounds.append((perf_counter() - began) * 1000)
    return median(rounds)


def _groups(pages: Sequence[MarkedPage]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for page in pages:
        groups.setdefault(page.generator, []).append(page.name)
    groups["all held out"] = [page.name for page in pages if page.held_out]
    groups["all real pages"] = [page.name for page in pages if page.is_real]
    groups["all pages"] = [page.name for page in pages]
    return groups


def _summary(
    pages: Sequence[MarkedPage], scores: dict[str, dict[str, ExtractionScore]], times: dict[str, float]
) -> dict[str, object]:
    return {
        name: {
            "milliseconds": round(times[name], 1),
            **{
                group: {"pages": len(members), "precision": round(of.precision, 4), "recall": round(of.recall, 4)}
                for group, members in _groups(pages).items()
                for of in [total(by_page[member] for member in members)]
            },
        }
        for name, by_page in scores.items()
    }


def _print(
    pages: Sequence[MarkedPage],
    scores: dict[str, dict[str, ExtractionScore]],
    times: dict[str, float],
    console: Console,
) -> None:
    table = Table("generator", "pages", *scores, title="precision / recall of the marked lines, %")
    groups = _groups(pages)
    for group, members in groups.items():
        cells = [total(by_page[member] for member in members) for by_page in scores.values()]
        shown = [f"{100 * cell.precision:.1f} / {100 * cell.recall:.1f}" for cell in cells]
        table.add_row(group, str(len(members)), *shown, style="bold" if group.startswith("all ") else "")
    table.add_row("ms for all pages", "", *(f"{times[name]:.0f}" for name in scores))
    console.print(table)


def _explain(pages: Sequence[MarkedPage], console: Console) -> None:
    for page in pages:
        body = page.body(_PACKAGES)
        if body is None:
            console.print(f"{page.name} is not here; run without --page first.")
            continue
        for name, extract in EXTRACTORS.items():
            found = verdict(page, extract(body, page.url))
            console.print(f"[bold]{name}[/bold] loses {len(found.lost)}, leaks {len(found.leaked)}")
            for sign, lines in (("-", found.lost), ("+", found.leaked)):
                for line in lines:
                    console.print(f"  {sign} {line}", markup=False, highlight=False)


if __name__ == "__main__":
    main()

"""What extraction keeps and drops of real pages with marked lines, held to floors. `make bench-extraction` has more
pages, and trafilatura beside."""

from pathlib import Path

import pytest

from bench.extracting.pages import Kept, MarkedPage, fetch_missing, marked_pages
from bench.extracting.score import ExtractionScore, score, total, verdict
from crawler.extract.extraction import extract_page

PAGES = marked_pages()
IN_REPOSITORY = [page for page in PAGES if page.is_in_repository]
NOWHERE = Path("/nonexistent")


def _scored(page: MarkedPage) -> ExtractionScore:
    body = page.body(NOWHERE)
    assert body is not None
    return score(page, extract_page(body, page.url, None).markdown)


def test_the_marked_lines_are_kept_and_dropped() -> None:
    every = total(_scored(page) for page in IN_REPOSITORY)
    assert every.precision >= 0.99
    assert every.recall >= 0.99


@pytest.mark.parametrize("page", IN_REPOSITORY, ids=lambda page: page.name)
def test_every_page_keeps_nearly_all_its_content(page: MarkedPage) -> None:
    assert _scored(page).recall >= 0.9


def test_there_are_many_real_pages_of_many_generators() -> None:
    real = [page for page in PAGES if page.is_real]
    assert len(real) >= 40
    assert len({page.generator for page in real}) >= 20
    assert sum(page.held_out for page in real) >= 8
    assert len(IN_REPOSITORY) >= 40


def test_no_line_is_marked_as_both() -> None:
    assert [page.name for page in PAGES if set(page.keep) & set(page.drop)] == []


def test_a_score_counts_what_is_there_whatever_the_markup() -> None:
    page = MarkedPage(
        "p", False, "g", "", "", Kept.STORED, "", "", ("A *b*, c", "Gone line"), ("Menu | Home", "Not here")
    )
    found = verdict(page, "# A b `c`\n\nMenu\n\n- Home")
    assert found.lost == ("Gone line",)
    assert found.leaked == ("Menu | Home",)
    counted = score(page, "# A b `c`\n\nMenu\n\n- Home")
    assert (counted.precision, counted.recall) == (0.5, 0.5)


def test_a_page_of_another_version_is_no_page(tmp_path: Path) -> None:
    page = next(page for page in PAGES if page.kind is Kept.DEBIAN)
    file = tmp_path / page.path.lstrip("/")
    file.parent.mkdir(parents=True)
    file.write_text("another page")
    assert page.body(tmp_path) is None
    assert fetch_missing([one for one in PAGES if one.is_in_repository], tmp_path) == []

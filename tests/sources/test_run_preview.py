"""What another reading would cost, from what is known and what the website lists."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.core.actor import WRITE, Actor
from app.sources import kinds
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.run_control import RunPreview, RunPreviews, preview
from app.sources.runs.site_reader import ListedPage
from app.sources.source import KnownPage, Source, SourceConfig, SourceKind
from tests.doubles.listed_pages import ListedPages
from tests.doubles.scripted_site_reader import ScriptedSiteReader
from tests.knowledge.knowledge_house import KnowledgeHouse, knowledge_house, page, words
from tests.sources.test_run_execution import reading, start_run

READ_AT = datetime(2026, 1, 10, tzinfo=UTC)
LATER, EARLIER = READ_AT + timedelta(days=1), READ_AT - timedelta(days=1)
A, B, C, D = (f"https://www.example.com/{name}" for name in "abcd")
KNOWN = [KnownPage(A, "indexed", READ_AT, 4), KnownPage(B, "unchanged", READ_AT, 2)]


def of(kind: SourceKind, known: Sequence[KnownPage], *listed: ListedPage, max_pages: int = 2000) -> RunPreview:
    config = SourceConfig(kind, "Docs", url="https://www.example.com/", max_pages=max_pages)
    source = Source(uuid4(), UUID(int=1), config, READ_AT)
    return preview(source, {page.url: page for page in known}, {page.url: page for page in listed})


def test_pages_listed_with_a_later_date_and_pages_never_read_are_expected_to_be_embedded() -> None:
    found = of(kinds.SITEMAP, KNOWN, ListedPage(A, LATER), ListedPage(B, EARLIER), ListedPage(C, LATER))
    assert (found.pages_to_ask, found.pages_changed, found.pages_new) == (3, 1, 1)
    assert (found.chunks_known, found.chunks_expected, found.chunks_at_most) == (6, 4 + 3, 4 + 3)


def test_a_page_without_a_date_may_have_changed() -> None:
    found = of(kinds.SITEMAP, KNOWN, ListedPage(A), ListedPage(B, EARLIER))
    assert (found.pages_changed, found.chunks_expected, found.chunks_at_most) == (0, 0, 4)


def test_a_site_is_asked_for_all_that_it_had_and_a_sitemap_only_for_what_it_lists() -> None:
    gone = KnownPage(C, "not_found", READ_AT, 0)
    assert of(kinds.SITE, [*KNOWN, gone], ListedPage(D)).pages_to_ask == 3
    assert of(kinds.SITEMAP, [*KNOWN, gone], ListedPage(D)).pages_to_ask == 1


def test_the_budget_of_the_source_holds() -> None:
    listed = [ListedPage(f"https://www.example.com/{n}") for n in range(10)]
    assert of(kinds.SITEMAP, [], *listed, max_pages=3).pages_to_ask == 3


def test_nothing_is_estimated_from_nothing() -> None:
    found = of(kinds.SITEMAP, [], ListedPage(A))
    assert (found.pages_new, found.chunks_expected, found.chunks_at_most) == (1, None, None)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[KnowledgeHouse]:
    async with knowledge_house(tmp_path) as built:
        yield built


async def test_a_preview_counts_what_was_learnt_and_changes_nothing(house: KnowledgeHouse) -> None:
    site = {f"https://shop.example/{name}": page(f"/{name}", words(45, name)) for name in ("one", "two")}
    await reading(house, ScriptedSiteReader(site)).read((await start_run(house)).id)
    chunks, asked = len(await house.live_ids()), house.embedder.embedded
    listed = ListedPages(
        [ListedPage("https://shop.example/one", datetime(2027, 1, 1, tzinfo=UTC))], ["The sitemap is no XML."]
    )

    found = await RunPreviews(house.record, listed).preview(
        Actor(house.workspace_id, "ann", frozenset((WRITE,))), house.source.id
    )

    assert (found.pages_known, found.pages_to_ask, found.pages_changed) == (2, 2, 1)
    assert (found.chunks_known, found.chunks_expected, found.chunks_at_most) == (chunks, chunks // 2, chunks)
    assert found.problems == ("The sitemap is no XML.",)
    assert house.embedder.embedded == asked
    with house.record.reading() as tx:
        assert CrawlRunRecords(tx).unfinished_runs() == []

"""A source is changed in place, and says what of it cannot be."""

from typing import Any
from uuid import UUID

import pytest

from app.knowledge.document import PageContent
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources.records import SourceRecords
from app.sources.runs.records.crawl_pages import CrawlPageRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.runs.site_reader import QueuedPage, ReadPage
from app.sources.source import RunState
from tests.store.sample_rows import add_live
from tests.web.house import House, Json

SITE = {"kind": "site", "name": "Docs", "url": "https://www.example.com/docs"}
FORUM = {"kind": "discourse", "name": "Forum", "url": "https://forum.example.com/"}
TEXT = {"kind": "text", "name": "Opening hours", "text": "From 9 to 5."}


async def create(house: House, body: Json) -> Json:
    response = await house.api("POST", f"/v1/agents/{house.agent.id}/sources", body)
    assert response.status_code == 201
    created: Json = response.json()
    return created


async def test_a_text_is_edited_in_place(house: House) -> None:
    source = await create(house, TEXT)
    path = f"/v1/sources/{source['id']}"

    edited = (await house.api("PATCH", path, {"text": "From 9 to 6."})).json()

    assert edited == source
    shown = (await house.api("GET", f"{path}/text")).json()
    assert (shown["text"], shown["name"]) == ("From 9 to 6.", "Opening hours")


async def test_only_what_is_sent_changes(house: House) -> None:
    source = await create(house, {**SITE, "exclude": ["/docs/old/*"], "max_depth": 3})
    sent = {"name": "The docs", "include": ["/docs/*"], "max_pages": 10, "read_files": True, "keep_repeated": ["*"]}
    edited = (await house.api("PATCH", f"/v1/sources/{source['id']}", sent)).json()
    assert edited == {**source, **sent}


@pytest.mark.parametrize(
    ("kind", "change", "field"),
    [
        (TEXT, {"include": ["/a"]}, "include"),
        (TEXT, {"max_pages": 5}, "max_pages"),
        (TEXT, {"read_files": True}, "read_files"),
        (FORUM, {"max_depth": 3}, "max_depth"),
        (FORUM, {"read_files": True}, "read_files"),
        (FORUM, {"keep_repeated": ["*"]}, "keep_repeated"),
        (SITE, {"keep_repeated": [""]}, "keep_repeated.0"),
        (TEXT, {"text": " "}, "text"),
        (TEXT, {"name": "two\nlines"}, "name"),
        (TEXT, {"url": "nowhere"}, "url"),
        (TEXT, {"kind": "site"}, "kind"),
        (SITE, {"text": "Hello."}, "text"),
        (SITE, {"url": "http://10.0.0.1/"}, "url"),
        (SITE, {"url": ""}, "url"),
        (FORUM, {"url": "https://elsewhere.example/"}, "url"),
        (SITE, {"max_pages": 0}, "max_pages"),
        (SITE, {"exclude": [""]}, "exclude.0"),
    ],
)
async def test_what_a_source_of_that_kind_cannot_be_is_refused_by_field(
    house: House, kind: Json, change: dict[str, Any], field: str
) -> None:
    source = await create(house, kind)
    response = await house.api("PATCH", f"/v1/sources/{source['id']}", change)
    assert (response.status_code, response.json()["error"]["field"]) == (422, field)


async def test_a_source_that_moves_drops_the_former_websites_pages_and_credentials(house: House) -> None:
    source = await create(house, SITE)
    path = f"/v1/sources/{source['id']}"
    await house.api("PUT", f"{path}/access", {"kind": "basic", "name": "docent", "secret": "for the former site"})
    with house.record.reading() as tx:
        stored = SourceRecords(tx).source(house.agent.id, UUID(source["id"]))
    for page in ("https://www.example.com/docs/a", "http://www.example.com/docs/b"):
        await add_live(house.record, stored, PageContent(page, page, page))

    await house.api("PATCH", path, {"url": "https://www.example.com/guide"})
    assert (await house.api("GET", f"{path}/access")).json()["kind"] == "basic", "it is the same website"
    moved = (await house.api("PATCH", path, {"url": "http://www.example.com/docs"})).json()

    assert moved["url"] == "http://www.example.com/docs"
    assert (await house.api("GET", f"{path}/access")).json()["kind"] is None
    with house.record.reading() as tx:
        assert [url for _, url in LiveDocumentRecords(tx).urls(stored.id)] == ["http://www.example.com/docs/b"]


async def test_a_website_has_no_text(house: House) -> None:
    source = await create(house, SITE)
    assert (await house.api("GET", f"/v1/sources/{source['id']}/text")).status_code == 404


@pytest.mark.parametrize(("change", "is_read_in_full"), [({"read_files": True}, True), ({"name": "The docs"}, False)])
async def test_what_widens_a_source_has_its_pages_read_in_full(
    house: House, change: Json, is_read_in_full: bool
) -> None:
    """A page that is not sent again comes without its links."""
    source = await create(house, SITE)
    url = f"{SITE['url']}/a"
    with house.record.writing() as tx:
        (found,) = SourceRecords(tx).sources(house.agent.id)
    document = await add_live(house.record, found, PageContent(url, "A", "Text."))

    async def read() -> str | None:
        """Have the page read; return the ETag that it was asked with."""
        run = (await house.api("POST", f"/v1/sources/{source['id']}/sync")).json()
        run_id = UUID(run["id"])
        with house.record.writing() as tx:
            CrawlPageRecords(tx).add_pages(run_id, [QueuedPage(url, 0)])
            (page,) = CrawlPageRecords(tx).take_pages(run_id, 1)
            answer = ReadPage(url, 0, "fetched", etag='"v1"')
            CrawlPageRecords(tx).settle_page(run_id, answer, "indexed", document.document_id, 1)
            CrawlRunRecords(tx).set_run_state(run_id, RunState.FINISHED)
        return page.etag

    await read()
    await house.api("PATCH", f"/v1/sources/{source['id']}", change)
    assert await read() == (None if is_read_in_full else '"v1"')

"""What a visitor finds while typing."""

from dataclasses import fields, replace
from pathlib import Path
from uuid import UUID

import pytest

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.agents.signed_user import filter_signature
from app.agents.signed_users import SignedUsers
from app.conversations.records.inbox import InboxRecords
from app.core.list_page import PageRequest
from app.gaps.records.gaps import GapRecords
from app.knowledge.records.documents import DocumentRecords
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.sources import kinds
from app.sources.source import UNLINKED, SourceConfig
from app.sources.sources import Sources
from app.web.limits_policy import LimitsPolicy
from tests.doubles.learnt_pages import learn
from tests.web.house import SITE, House, Json, VisitorHttp, open_house, unlimited


async def furnish(house: House) -> UUID:
    """Three pages and a note without an address. The source's id."""
    source = await house.parts.get(Sources).create(house.actor, house.agent.id, SourceConfig(kinds.SITE, "S", SITE))

    async def page(url: str, title: str, *sections: tuple[str, str]) -> None:
        await learn(house.record, house.keywords, house.agent.id, source.id, url, title, *sections)

    await page(
        f"{SITE}/returns",
        "Returns",
        ("", "Every lamp may come **back**."),
        ("Refunds", "We pay a [refund](https://x.test) in ten days."),
        ("Refunds", "A refund of more than 500 euros takes longer."),
    )
    await page(f"{SITE}/docs/api", "API", ("Orders", "POST a refund to `/refunds`, and wait. " * 20))
    await page(f"{SITE}/shipping", "Shipping", ("", "We ship to Norway."))
    await page(f"{UNLINKED}{source.id}", "Notes", ("", "The rebate is internal."))
    return source.id


async def found(visitor: VisitorHttp, typed: str) -> list[Json]:
    response = await visitor.house.http.get("/v1/widget/search", params={"q": typed}, headers=visitor.headers)
    assert response.status_code == 200, response.text
    pages: list[Json] = response.json()["pages"]
    return pages


def text_of(parts: list[Json]) -> str:
    return "".join(part["text"] for part in parts)


def matches(parts: list[Json]) -> list[str]:
    return [part["text"] for part in parts if part["is_match"]]


async def test_what_is_typed_finds_pages_with_their_sections(house: House) -> None:
    await furnish(house)
    [returns, api] = sorted(await found(await house.visitor(), "refu"), key=lambda page: page["url"], reverse=True)

    assert (returns["url"], text_of(returns["title"])) == (f"{SITE}/returns", "Returns")
    [passage] = returns["passages"]  # of two passages under one heading the better one
    assert passage["url"] == f"{SITE}/returns#refunds"
    assert (text_of(passage["headings"]), matches(passage["headings"])) == ("Refunds", ["Refunds"])
    assert matches(passage["text"]) == ["refund"]
    assert api["url"] == f"{SITE}/docs/api"


async def test_a_passage_is_shown_without_signs_of_markdown(house: House) -> None:
    await furnish(house)
    [page] = await found(await house.visitor(), "ten days")
    assert text_of(page["passages"][0]["text"]) == "We pay a refund in ten days."


async def test_a_long_passage_is_cut_around_what_was_found(house: House) -> None:
    await furnish(house)
    [page] = await found(await house.visitor(), "wait post")
    text = text_of(page["passages"][0]["text"])
    assert text.startswith("POST a refund")
    assert text.endswith("…")
    assert len(text) < 170
    assert matches(page["passages"][0]["text"])[:2] == ["POST", "wait"]


async def test_a_slip_of_the_fingers_finds_the_page_all_the_same(house: House) -> None:
    await furnish(house)
    [page] = await found(await house.visitor(), "shiping")
    assert matches(page["title"]) == ["Shipping"]


async def test_a_document_without_an_address_is_shown_without_a_link(house: House) -> None:
    await furnish(house)
    [note] = await found(await house.visitor(), "rebate")
    assert (note["url"], note["passages"][0]["url"], text_of(note["title"])) == (None, None, "Notes")


@pytest.mark.parametrize("typed", ["", "   ", "?!", "nothing like it", "\u202e\ufeff"])
async def test_what_no_page_holds_finds_nothing(house: House, typed: str) -> None:
    await furnish(house)
    assert await found(await house.visitor(), typed) == []


async def test_a_search_is_no_question(house: House) -> None:
    await furnish(house)
    visitor = await house.visitor()
    await found(visitor, "refund")
    await found(visitor, "nothing like it")

    assert house.turns.asked == []
    with house.record.reading() as tx:
        conversations = InboxRecords(tx).page(house.agent.id, PageRequest()).items
        assert [each.conversation.turn_count for each in conversations] in ([], [0])
        assert GapRecords(tx).page(house.agent.id, None, PageRequest()).items == []


async def test_a_signed_filter_narrows_what_is_found(house: House) -> None:
    await furnish(house)
    only = '{"path_prefixes": ["/docs/"]}'
    secret = await house.parts.get(SignedUsers).make_secret(house.actor, house.agent.id)
    session = await house.init(filter=only, filter_hash=filter_signature(secret, only, ""))
    assert [page["url"] for page in await found(VisitorHttp(house, session), "refund")] == [f"{SITE}/docs/api"]


async def test_the_agents_own_filter_narrows_it_as_well(house: House) -> None:
    await furnish(house)
    agents = house.parts.get(Agents)

    def docs_alone(draft: AgentConfig) -> AgentConfig:
        retrieval = draft.retrieval
        return replace(draft, retrieval=replace(retrieval, filter=replace(retrieval.filter, path_prefixes=("/docs/",))))

    await agents.change_draft(house.actor, house.agent.id, docs_alone)
    await agents.publish(house.actor, house.agent.id)
    assert [page["url"] for page in await found(await house.visitor(), "refund")] == [f"{SITE}/docs/api"]


async def test_a_page_that_was_deleted_is_found_no_more(house: House) -> None:
    source_id = await furnish(house)
    visitor = await house.visitor()
    with house.record.writing() as tx:
        document_id = LiveDocumentRecords(tx).document_at(source_id, f"{SITE}/shipping")
        assert document_id
        DocumentRecords(tx).retire_document(house.agent.id, document_id)
    assert await found(visitor, "norway") == []


@pytest.mark.parametrize("limit", ["searches_per_visitor", "searches_per_address"])
async def test_searches_are_limited_apart_from_questions(tmp_path: Path, limit: str) -> None:
    values = {each.name: getattr(unlimited(), each.name) for each in fields(LimitsPolicy)}
    async with open_house(tmp_path, limits=LimitsPolicy(**{**values, limit: 2})) as house:
        visitor = await house.visitor()
        statuses = [(await visitor.call("GET", "/search?q=a")).status_code for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert (await visitor.ask()).status_code == 200


async def test_an_index_that_is_away_is_said(house: House) -> None:
    visitor = await house.visitor()
    house.keywords.is_down = True
    response = await visitor.call("GET", "/search?q=refund")
    assert (response.status_code, response.json()["error"]["code"]) == (503, "unavailable")


async def narrowed(visitor: VisitorHttp, **asked: str) -> tuple[list[str], Json]:
    """The URLs of the pages, and the facets by name."""
    response = await visitor.house.http.get("/v1/widget/search", params=asked, headers=visitor.headers)
    assert response.status_code == 200, response.text
    found: Json = response.json()
    pages = [page["url"].removeprefix(SITE) for page in found["pages"]]
    return pages, {each["name"]: each["values"] for each in found["facets"]}


async def furnish_folders(house: House) -> None:
    source = await house.parts.get(Sources).create(house.actor, house.agent.id, SourceConfig(kinds.SITE, "S", SITE))
    for path in ("/docs/a", "/docs/b", "/blog/c"):
        await learn(house.record, house.keywords, house.agent.id, source.id, SITE + path, path, ("", "A refund."))


async def test_pages_can_be_narrowed_to_a_folder_and_back(house: House) -> None:
    await furnish_folders(house)
    visitor = await house.visitor()
    folders = [
        {"value": "/docs/", "label": "docs", "pages": 2},
        {"value": "/blog/", "label": "blog", "pages": 1},
    ]
    assert await narrowed(visitor, q="refund", folder="/blog/") == (["/blog/c"], {"folder": folders})
    pages, offered = await narrowed(visitor, q="refund")
    assert sorted(pages) == ["/blog/c", "/docs/a", "/docs/b"]
    assert offered == {"folder": folders}


async def test_a_chosen_language_leaves_out_pages_in_others_and_stays_among_the_facets(house: House) -> None:
    await furnish_folders(house)
    pages, offered = await narrowed(await house.visitor(), q="refund", language="de")
    assert pages == []
    assert offered["language"] == [{"value": "de", "label": "German", "pages": 0}]


async def test_a_choice_widens_no_signed_filter(house: House) -> None:
    await furnish_folders(house)
    only = '{"path_prefixes": ["/docs/"]}'
    secret = await house.parts.get(SignedUsers).make_secret(house.actor, house.agent.id)
    session = await house.init(filter=only, filter_hash=filter_signature(secret, only, ""))
    assert (await narrowed(VisitorHttp(house, session), q="refund", folder="/blog/"))[0] == []


@pytest.mark.parametrize(
    ("field", "value"), [("folder", "docs"), ("folder", "/" + "a" * 500), ("language", "German"), ("language", "D")]
)
async def test_a_wrong_choice_is_named(house: House, field: str, value: str) -> None:
    visitor = await house.visitor()
    response = await house.http.get("/v1/widget/search", params={"q": "a", field: value}, headers=visitor.headers)
    assert (response.status_code, response.json()["error"]["field"]) == (422, field)


async def test_what_is_typed_is_bounded(house: House) -> None:
    response = await (await house.visitor()).call("GET", f"/search?q={'a' * 201}")
    assert (response.status_code, response.json()["error"]["field"]) == (422, "q")

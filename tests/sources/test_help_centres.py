"""Help centres read by their APIs, from doubles that answer as the vendors describe them."""

from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from app.core.errors import InvalidInput
from app.providers.code.git_repository import GitRemotes
from app.sources import kinds
from app.sources.listed.listed_reader import ListedReader
from app.sources.runs.site_reader import QueuedPage, ReadPage, RunSummary
from app.sources.source import AccessKind, SourceAccess, SourceConfig
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.pacing import HostPacing
from tests.doubles.fake_network import USER_AGENT, FakeClock
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.help_centres import HelpCentreDouble
from tests.doubles.loopback_site import LoopbackSite
from tests.doubles.scripted_site_reader import ScriptedSiteReader
from tests.sources.test_crawler_site_reader import MemoryPages, SameProcessExtractor

BODY = "<p>Send it back within <b>30 days</b>.</p><h2>How</h2><p>By post, in its own box, to our address.</p>"


@pytest.fixture
async def reader(site: LoopbackSite, clock: FakeClock) -> AsyncIterator[ListedReader]:
    wire = GuardedWire(GuardedTransport(site.policy))
    pacing = HostPacing(0.0, clock=clock, sleep=clock.sleep)
    fetcher = Fetcher(wire, USER_AGENT, pacing, site.policy, jitter=lambda: 0.0)
    yield ListedReader(ScriptedSiteReader({}), fetcher, GitRemotes(), SameProcessExtractor(), FixedClock())
    await wire.aclose()


async def read(
    reader: ListedReader, config: SourceConfig, *known: QueuedPage, access: SourceAccess | None = None
) -> tuple[dict[str, ReadPage], RunSummary]:
    pages: dict[str, ReadPage] = {}

    async def settle(page: ReadPage) -> None:
        assert page.url not in pages
        pages[page.url] = page

    async def is_cancelled() -> bool:
        return False

    with anyio.fail_after(120):
        summary = await reader.read(config, MemoryPages(*known), settle, is_cancelled, access=access)
    return pages, summary


def statuses(pages: dict[str, ReadPage]) -> dict[str, str]:
    return {url.rpartition("/")[2]: page.status for url, page in pages.items()}


def zendesk_article(site: LoopbackSite, name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": 35436,
        "html_url": f"{site.origin}/hc/en-us/articles/{name}",
        "title": f"About {name}",
        "body": BODY,
        "draft": False,
        "user_segment_id": None,
        "locale": "en-us",
        "updated_at": "2026-05-01T10:00:00Z",
        **more,
    }


def of_zendesk(site: LoopbackSite, **more: Any) -> SourceConfig:
    return SourceConfig(kinds.ZENDESK, "Help", f"{site.origin}/hc/en-us", **more)


async def test_zendesk_articles_are_read_but_for_drafts_and_those_of_members(
    reader: ListedReader, site: LoopbackSite
) -> None:
    articles = [zendesk_article(site, name) for name in ("1-returns", "2-prices", "3-hours")]
    articles += [zendesk_article(site, "4-draft", draft=True), zendesk_article(site, "5-staff", user_segment_id=7)]
    HelpCentreDouble(site, articles).serve_zendesk()

    pages, summary = await read(reader, of_zendesk(site))

    assert statuses(pages) == dict.fromkeys(("1-returns", "2-prices", "3-hours"), "fetched")
    assert summary == RunSummary("Every listed page was read.")
    content = pages[f"{site.origin}/hc/en-us/articles/1-returns"].content
    assert content is not None
    assert content.title == "About 1-returns"
    assert content.markdown.startswith("# About 1-returns\n\nSend it back within")
    assert [heading.text for heading in content.headings] == ["About 1-returns", "How"]
    assert (content.site, content.language, str(content.modified)) == ("Help", "en", "2026-05-01")


async def test_half_an_emoji_is_no_obstacle(reader: ListedReader, site: LoopbackSite) -> None:
    cut = {"title": "About lamps \ud83d", "body": "<p>They shine for a thousand hours \ud83d</p>"}
    HelpCentreDouble(site, [zendesk_article(site, "1", **cut), zendesk_article(site, "2")]).serve_zendesk()
    pages, _ = await read(reader, of_zendesk(site))
    content = pages[f"{site.origin}/hc/en-us/articles/1"].content
    assert content is not None
    assert (content.title, "thousand hours ?" in content.markdown) == ("About lamps ?", True)
    assert statuses(pages) == {"1": "fetched", "2": "fetched"}


async def test_what_has_not_changed_is_not_learnt_again_and_what_is_listed_no_more_is_gone(
    reader: ListedReader, site: LoopbackSite
) -> None:
    double = HelpCentreDouble(site, [zendesk_article(site, name) for name in ("1", "2", "3")])
    double.serve_zendesk()
    first, _ = await read(reader, of_zendesk(site))
    known = [QueuedPage(url, 0, etag=page.etag) for url, page in first.items()]
    double.articles[:] = [
        zendesk_article(site, "1"),
        zendesk_article(site, "2", updated_at="2026-06-01T10:00:00Z"),
        zendesk_article(site, "3", draft=True),
    ]

    second, _ = await read(reader, of_zendesk(site), *known)

    assert statuses(second) == {"1": "unchanged", "2": "fetched", "3": "gone"}


async def test_paths_and_the_limit_of_pages_hold(reader: ListedReader, site: LoopbackSite) -> None:
    names = ("1-old", "2", "3", "4")
    HelpCentreDouble(site, [zendesk_article(site, name) for name in names]).serve_zendesk()
    beyond = QueuedPage(f"{site.origin}/hc/en-us/articles/4", 0)
    pages, summary = await read(reader, of_zendesk(site, exclude=("*-old",), max_pages=2), beyond)
    assert statuses(pages) == {"4": "out_of_scope", "2": "fetched", "3": "fetched"}
    assert not summary.is_complete


async def test_an_api_that_asks_for_patience_gets_it(
    reader: ListedReader, site: LoopbackSite, clock: FakeClock
) -> None:
    double = HelpCentreDouble(site, [zendesk_article(site, "1")], busy=1)
    double.serve_zendesk()
    before = clock()
    pages, _ = await read(reader, of_zendesk(site))
    assert statuses(pages) == {"1": "fetched"}
    assert clock() - before >= 7


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"status": 401}, "asks for a login"),
        ({"body": "<html>", "content_type": "text/html"}, "text/html"),
        ({"body": "{", "content_type": "application/json"}, "not JSON"),
        ({"body": "[]", "content_type": "application/json"}, "not a JSON object"),
        (
            {
                "body": '{"meta": {"has_more": true}, "links": {"next": "https://evil.example/"}}',
                "content_type": "application/json",
            },
            "another website",
        ),
    ],
)
async def test_a_list_that_cannot_be_read_to_its_end_takes_nothing_away(
    reader: ListedReader, site: LoopbackSite, answer: dict[str, Any], reason: str
) -> None:
    site.page("/api/v2/help_center/en-us/articles.json?page%5Bsize%5D=100", **answer)
    with pytest.raises(InvalidInput, match=reason):
        await read(reader, of_zendesk(site), QueuedPage(f"{site.origin}/hc/en-us/articles/1", 0))


def intercom_article(name: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "article",
        "id": "6871",
        "title": f"About {name}",
        "body": BODY,
        "state": "published",
        "url": f"https://help.example.com/en/articles/{name}",
        "default_locale": "en",
        "updated_at": 1767225600,
        **more,
    }


async def test_intercom_articles_are_read_with_the_token_of_the_source(
    reader: ListedReader, site: LoopbackSite
) -> None:
    articles = [intercom_article("1"), intercom_article("2", state="draft"), intercom_article("3")]
    articles += [intercom_article("4", url=None), intercom_article("5")]
    double = HelpCentreDouble(site, articles, token="Bearer dG9rOmE=")
    double.serve_intercom()
    config = SourceConfig(kinds.INTERCOM, "Help", site.origin)

    access = SourceAccess(AccessKind.HEADER, "Authorization", double.token)
    pages, _ = await read(reader, config, access=access)

    assert statuses(pages) == {"1": "fetched", "3": "fetched", "5": "fetched"}
    assert {headers["intercom-version"] for _, headers in site.asked} == {"2.11"}
    content = pages["https://help.example.com/en/articles/1"].content
    assert content is not None
    assert str(content.modified) == "2026-01-01"
    with pytest.raises(InvalidInput, match="asks for a login"):
        await read(reader, config)


async def test_discourse_topics_are_their_first_post_and_the_accepted_answer(
    reader: ListedReader, site: LoopbackSite
) -> None:
    def topic(key: int, **more: Any) -> dict[str, Any]:
        base = {"id": key, "slug": f"topic-{key}", "title": f"Topic {key}", "bumped_at": "2026-05-01T10:00:00.000Z"}
        return {**base, "posts_count": 2, "visible": True, "archetype": "regular", **more}

    double = HelpCentreDouble(site, [topic(1, has_accepted_answer=True), topic(2, visible=False), topic(3), topic(4)])
    accepted = {"cooked": "<p>Hold the green button for ten seconds.</p>", "accepted_answer": True}
    double.serve_discourse(
        "/c/help/5.json",
        {
            1: [{"cooked": "<p>How do I reset it?</p>"}, {"cooked": "<p>Same here.</p>"}, accepted],
            3: [{"cooked": BODY}],
        },
    )

    pages, summary = await read(reader, SourceConfig(kinds.DISCOURSE, "Forum", f"{site.origin}/c/help/5"))

    assert {url.removeprefix(site.origin): page.status for url, page in pages.items()} == {
        "/t/topic-1/1": "fetched",
        "/t/topic-3/3": "fetched",
        "/t/topic-4/4": "not_found",
    }
    assert summary.is_complete
    content = pages[f"{site.origin}/t/topic-1/1"].content
    assert content is not None
    assert content.markdown == (
        "# Topic 1\n\nHow do I reset it?\n\n## Accepted answer\n\nHold the green button for ten seconds."
    )


async def test_other_kinds_are_another_readers(site: LoopbackSite) -> None:
    other = ScriptedSiteReader({}, found=["https://www.example.com/"])
    wire = GuardedWire(GuardedTransport(site.policy))
    reader = ListedReader(other, Fetcher(wire, USER_AGENT), GitRemotes(), SameProcessExtractor(), FixedClock())
    await read(reader, SourceConfig(kinds.SITE, "Docs", "https://www.example.com/"))
    assert other.asked == ["https://www.example.com/"]
    await wire.aclose()

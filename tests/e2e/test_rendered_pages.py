"""Pages that are empty until their scripts run, rendered by a real Chromium that can reach nothing by itself."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, aclosing
from dataclasses import replace

import pytest
from anyio.from_thread import start_blocking_portal

from crawler.address_policy import AddressPolicy
from crawler.crawl.site_crawl import SiteCrawl
from crawler.discover.crawl_seeds import Seed
from crawler.discover.scope import Scope
from crawler.extract.extraction_pool import ExtractionPool
from crawler.extract.page import PageResult, Validators
from crawler.fetch.fetch_result import FetchLimits
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.pacing import HostPacing
from crawler.fetch.playwright_renderer import PlaywrightRenderer, RenderLimits
from crawler.fetch.robots import Robots
from crawler.url_rules import check_url
from tests.doubles.fake_network import USER_AGENT
from tests.doubles.memory_frontier import MemoryFrontier
from tests.e2e.conftest import ARGUMENTS, CHROMIUM
from tests.misbehaving.raw_server import Asked, RawSite, answer, page, raw_site

SHELL = '<html><head><title>App</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>'
WRITES = "document.getElementById('root').innerHTML = '<main><h1>Opening hours</h1><p>' + {text} + '</p></main>';"
HOURS = "'We open at nine every morning and close at six, but for Sundays, when we sleep.'"
LIMITS = RenderLimits(total_seconds=200, settle_seconds=60, max_requests=8, max_bytes=500_000)

Crawl = Callable[..., dict[str, PageResult]]


@pytest.fixture(scope="module")
def sites() -> Iterator[list[RawSite]]:
    """Whose addresses may be read; for most tests the first."""
    with raw_site() as web, raw_site() as other:
        yield [web, other]


@pytest.fixture
def web(sites: list[RawSite]) -> RawSite:
    for site in sites:
        site.routes.clear()
        site.asked.clear()
        site.serves("/", SHELL)
    return sites[0]


@pytest.fixture
def forbidden() -> Iterator[RawSite]:
    with raw_site() as site:
        yield site
        assert site.asked == []


@pytest.fixture(scope="module")
def crawl(sites: list[RawSite]) -> Iterator[Crawl]:
    """Crawls with one browser, in a thread: the widget's tests hold a loop of their own in this one."""
    policy = AddressPolicy(frozenset(("127.0.0.1", site.port) for site in sites))
    with ExitStack() as opened:
        portal = opened.enter_context(start_blocking_portal())
        extractor = opened.enter_context(portal.wrap_async_context_manager(ExtractionPool()))
        wire = opened.enter_context(portal.wrap_async_context_manager(aclosing(GuardedWire(GuardedTransport(policy)))))
        fetcher = Fetcher(
            wire, USER_AGENT, HostPacing(0.0, max_per_host=4), policy, FetchLimits(total_timeout_seconds=60, attempts=1)
        )
        robots = Robots(fetcher)
        shared = PlaywrightRenderer(fetcher, robots, CHROMIUM, LIMITS, ARGUMENTS)
        opened.callback(portal.call, shared.aclose)

        async def crawl(site: RawSite, renderer: PlaywrightRenderer) -> dict[str, PageResult]:
            results: dict[str, PageResult] = {}

            async def keep(result: PageResult) -> None:
                results[result.url.removeprefix(site.origin)] = result

            seeds, scope = [Seed(f"{site.origin}/")], Scope.around([check_url(site.origin, policy)])
            await SiteCrawl(seeds, scope, MemoryFrontier(), fetcher, robots, extractor, renderer=renderer).run(keep)
            return results

        def crawled(
            site: RawSite = sites[0], executable: str = CHROMIUM, limits: RenderLimits = LIMITS
        ) -> dict[str, PageResult]:
            if (executable, limits) == (CHROMIUM, LIMITS):
                return portal.call(crawl, site, shared)
            renderer = PlaywrightRenderer(fetcher, robots, executable, limits, ARGUMENTS)
            try:
                return portal.call(crawl, site, renderer)
            finally:
                portal.call(renderer.aclose)

        yield crawled


def test_a_page_that_its_script_fills_is_read_and_its_links_followed(web: RawSite, crawl: Crawl) -> None:
    fetched = "fetch('/api/hours').then(r => r.json()).then(hours => {"
    link = "document.body.insertAdjacentHTML('beforeend', '<a href=/about>About</a>');"
    web.says("/", *answer(SHELL, etag='"1"'))
    web.serves("/app.js", f"{fetched} {WRITES.format(text='hours.text')} {link} }})", content_type="text/javascript")
    web.serves("/api/hours", f'{{"text": "{HOURS[1:-1]}"}}', content_type="application/json")
    web.serves("/about", page())
    results = crawl()
    assert results["/"].page is not None
    assert "close at six" in results["/"].page.markdown
    assert results["/"].validators == Validators()
    assert results["/about"].outcome == "fetched"


def test_a_page_with_text_is_not_rendered(web: RawSite, crawl: Crawl) -> None:
    web.serves("/", page() + '<div id="root"></div><script src="/app.js"></script>' + "<p>Words of its own. " * 40)
    assert crawl()["/"].outcome == "fetched"
    assert "/app.js" not in web.asked


def test_what_a_script_asks_for_goes_through_the_guard(web: RawSite, forbidden: RawSite, crawl: Crawl) -> None:
    targets = [f"{forbidden.origin}/", f"http://localhost:{forbidden.port}/", "http://169.254.169.254/latest/"]
    targets += [f"http://127.0.0.1:{forbidden.port}@127.0.0.1:{web.port}/"]
    asks = "".join(
        f"try {{ fetch('{url}', {{mode: 'no-cors'}}).catch(() => 0); }} catch (e) {{}}"
        f"new Image().src = '{url}'; navigator.sendBeacon('{url}', 'x');"
        f"document.head.insertAdjacentHTML('beforeend', '<link rel=prefetch href={url}>');"
        f"document.head.insertAdjacentHTML('beforeend', '<link rel=preconnect href={url}>');"
        for url in targets
    )
    sockets = f"new WebSocket('ws://127.0.0.1:{forbidden.port}/'); new EventSource('{forbidden.origin}/');"
    rtc = (
        f"new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{forbidden.port}'}}]}}).createDataChannel('x');"
    )
    frames = f"document.body.insertAdjacentHTML('beforeend', '<iframe src={forbidden.origin}></iframe>');"
    script = WRITES.format(text=HOURS) + "try {" + sockets + rtc + frames + asks + "} catch (e) {}"
    web.serves("/app.js", script, content_type="text/javascript")
    web.redirects("/away", f"{forbidden.origin}/")
    results = crawl()
    assert results["/"].outcome == "fetched", results["/"].reason


@pytest.mark.parametrize("how", ["location.href = '{url}'", "window.open('{url}')", "fetch('/away')"])
def test_a_script_does_not_leave_the_page(how: str, web: RawSite, forbidden: RawSite, crawl: Crawl) -> None:
    web.redirects("/away", f"{forbidden.origin}/")
    script = WRITES.format(text=HOURS) + how.format(url=f"{forbidden.origin}/")
    web.serves("/app.js", script, content_type="text/javascript")
    assert crawl()["/"].outcome in ("fetched", "javascript_only")


def test_robots_txt_holds_for_scripts_too(sites: list[RawSite], web: RawSite, crawl: Crawl) -> None:
    """On the site that no other test has asked for its rules."""
    strict = sites[1]
    strict.serves("/robots.txt", "User-agent: *\nDisallow: /app.js", content_type="text/plain")
    strict.serves("/app.js", WRITES.format(text=HOURS), content_type="text/javascript")
    assert crawl(strict)["/"].outcome == "javascript_only"
    assert "/app.js" not in strict.asked


def test_no_cookie_is_kept_and_nothing_is_posted(web: RawSite, crawl: Crawl) -> None:
    script = "document.cookie = 'a=1'; fetch('/post', {method: 'POST', body: 'x'}).catch(() => 0); fetch('/get');"
    web.serves("/app.js", WRITES.format(text=HOURS) + script, content_type="text/javascript", set_cookie="b=2")
    seen: list[str] = []

    def note(asked: Asked) -> list[bytes]:
        seen.append(asked.headers.get("cookie", "none"))
        return answer("ok")

    web.routes["/get"] = note
    assert crawl()["/"].outcome == "fetched"
    assert seen == ["none"]
    assert "/post" not in web.asked


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("for (;;) {}", "its scripts took longer than 5 s"),
        ("document.getElementById('root').innerHTML = 'x'.repeat(900000)", "more than 500000 bytes"),
    ],
)
def test_a_script_has_its_limits(script: str, reason: str, web: RawSite, crawl: Crawl) -> None:
    web.serves("/app.js", script, content_type="text/javascript")
    result = crawl(limits=replace(LIMITS, total_seconds=5) if "longer" in reason else LIMITS)["/"]
    assert result.outcome == "javascript_only"
    assert reason in result.reason


def test_a_script_may_ask_only_so_often(web: RawSite, crawl: Crawl) -> None:
    asks = "for (let n = 0; n < 40; n++) fetch('/data/' + n).catch(() => 0);"
    web.serves("/app.js", WRITES.format(text=HOURS) + asks, content_type="text/javascript")
    assert crawl()["/"].outcome == "fetched"
    assert len([path for path in web.asked if path.startswith("/data/")]) == LIMITS.max_requests - 1


def test_without_its_browser_a_page_is_left_out_with_the_reason(web: RawSite, crawl: Crawl) -> None:
    result = crawl(executable="/nowhere/chromium")["/"]
    assert result.outcome == "javascript_only"
    assert "the browser says" in result.reason

"""A service that answers in place of a website is known as such, and an ordinary page that it watches is none."""

import pytest

from crawler.crawl.crawl_summary import StopReason
from crawler.extract.extraction import extract_page
from crawler.extract.page import Outcome, Page
from crawler.fetch.fetch_result import NotFetched
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.http_answers import bot_wall
from tests.crawler.crawl.small_site import Run, linked
from tests.doubles.loopback_site import LoopbackSite
from tests.every_row import every_row

NOINDEX = '<meta name="robots" content="noindex,nofollow">'
# Shortened, as the services send them.
CHALLENGES = {
    "Cloudflare": (
        f"<!DOCTYPE html><html><head><title>Just a moment...</title>{NOINDEX}"
        '<meta http-equiv="refresh" content="360"></head><body><div class="main-wrapper"><noscript><div class="h2">'
        "<span>Enable JavaScript and cookies to continue</span></div></noscript></div>"
        "<script>(function(){window._cf_chl_opt = {cvId: '3',cZone: 'shop.example'};})();</script></body></html>"
    ),
    "Akamai": (
        '<html><head><meta http-equiv="refresh" content="5; URL=\'/?bm-verify=AAQAAAAJ\'"></head><body>'
        "<script>var i = 1;</script></body></html>"
    ),
    "DataDome": (
        "<html><head><title>shop.example</title></head><body><p>Please enable JS and disable any ad blocker</p>"
        "<script>var dd={'rt':'c','host':'geo.captcha-delivery.com'}</script>"
        '<script src="https://ct.captcha-delivery.com/c.js"></script></body></html>'
    ),
    "AWS WAF": (
        "<!DOCTYPE html><html><head><title></title><script>window.awsWafCookieDomainList = []; window.gokuProps = {}"
        '</script><script src="https://1.edge.sdk.awswaf.com/1/challenge.js"></script></head><body>'
        '<div id="challenge-container"></div><noscript><h1>JavaScript is disabled</h1></noscript></body></html>'
    ),
    "Imperva": (
        '<html><head><META NAME="robots" CONTENT="noindex,nofollow"></head><body><iframe src="/_Incapsula_Resource?x">'
        "Request unsuccessful. Incapsula incident ID: 1-2</iframe></body></html>"
    ),
}
AKAMAI_REFUSAL = (
    "<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have permission to access"
    ' "http://shop.example/" on this server.<P>Reference #18.1<P>https://errors.edgesuite.net/18.1</BODY></HTML>'
)


class PageReader:
    async def extract(self, body: bytes, url: str, charset: str | None, media_type: str = "text/html") -> Page:
        return extract_page(body, url, charset, media_type=media_type)


@pytest.mark.parametrize(("service", "body"), CHALLENGES.items(), ids=CHALLENGES.keys())
@pytest.mark.parametrize("status", [200, 403])
async def test_a_challenge_is_an_outcome_of_its_own_whatever_its_status(
    service: str, body: str, status: int, site: LoopbackSite, crawl: Run
) -> None:
    crawl.extractor = PageReader()
    site.page("/", body, status)
    await crawl()
    assert crawl.outcomes == {"/": Outcome.BOT_WALL}
    assert service in crawl.results[0].reason


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (403, {"cf_mitigated": "challenge"}, ""),
        (503, {"cf_mitigated": "challenge", "retry_after": "60"}, ""),
        (202, {"x_amzn_waf_action": "challenge"}, ""),
        (405, {"x_amzn_waf_action": "captcha"}, ""),
        (403, {"x_dd_b": "1"}, ""),
        (403, {"x_edge": "1"}, AKAMAI_REFUSAL),
        (429, {"x_vercel_mitigated": "challenge"}, ""),
    ],
)
async def test_a_wall_is_asked_once(
    status: int, headers: dict[str, str], body: str, site: LoopbackSite, fetcher: Fetcher
) -> None:
    site.page("/a", body, status, **headers)
    answer = await fetcher.fetch(f"{site.origin}/a")
    assert isinstance(answer, NotFetched)
    assert (answer.outcome, answer.status) == (Outcome.BOT_WALL, status)
    assert site.paths.count("/a") == 1


@every_row(
    ("status", "headers", "body"),
    [
        (200, {"server": "cloudflare", "cf-ray": "1"}, "<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js>"),
        (200, {"server": "AkamaiGHost"}, "<p>Open from nine.</p>"),
        (200, {"x-datadome": "protected"}, '<script src="https://js.datadome.co/tags.js"></script>'),
        (200, {}, '<script src="https://1.edge.sdk.awswaf.com/1/challenge.js"></script><p>Open from nine.</p>'),
        (200, {}, '<script src="/_Incapsula_Resource?SWJIYLWA=1"></script><p>Open from nine.</p>'),
        (403, {"server": "nginx"}, "<h1>403 Forbidden</h1>"),
        (403, {"server": "cloudflare"}, "<h1>Members only</h1>"),
    ],
)
def test_what_a_service_only_watches_is_the_websites_own(status: int, headers: dict[str, str], body: str) -> None:
    assert bot_wall(status, headers, body.encode()) == ""


async def test_a_long_page_about_walls_is_read(site: LoopbackSite, crawl: Run) -> None:
    site.page("/", f"<script>window._cf_chl_opt</script><p>{'How the challenge of this service works. ' * 40}")
    await crawl()
    assert crawl.outcomes == {"/": Outcome.FETCHED}


async def test_a_site_behind_a_wall_is_not_asked_for_ever(site: LoopbackSite, crawl: Run) -> None:
    site.page("/", linked(*(f"/{n}" for n in range(60))))
    for n in range(60):
        site.page(f"/{n}", status=403, cf_mitigated="challenge")
    summary = await crawl()
    assert summary.stopped is StopReason.SITE_FAILING
    assert "bot wall (Cloudflare)" in summary.reason
    assert len(site.paths) < 45


async def test_robots_txt_behind_a_wall_says_so(site: LoopbackSite, crawl: Run) -> None:
    site.page("/robots.txt", status=503, cf_mitigated="challenge")
    await crawl()
    assert crawl.outcomes == {"/": Outcome.BOT_WALL}
    assert crawl.results[0].reason.startswith("robots.txt: a bot wall (Cloudflare)")

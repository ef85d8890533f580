"""What a website offers, told by a real server on loopback."""

import time

import pytest

from crawler.discover.crawl_seeds import SeedKind
from crawler.discover.site_discovery import Discovery, DiscoveryLimits, Offer, SiteDiscovery, SiteIdentity
from crawler.errors import UrlRefused
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.robots import Robots
from tests.doubles.loopback_site import LoopbackSite, Reply

RSS = "application/rss+xml"
XML = "application/xml"


async def look(site: LoopbackSite, fetcher: Fetcher, limits: DiscoveryLimits | None = None) -> Discovery:
    return await SiteDiscovery(fetcher, Robots(fetcher), limits).look(f"{site.origin}/")


def start(*links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    return f"<html><head><title>Acme</title>{head}</head><body><h1>Acme</h1>{anchors}</body></html>"


def urlset(*urls: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


def alternate(href: str, kind: str = RSS, title: str = "") -> str:
    return f'<link rel="alternate" type="{kind}" href="{href}" title="{title}">'


async def test_sitemaps_feeds_and_links_are_counted(site: LoopbackSite, fetcher: Fetcher) -> None:
    head = alternate("/feed.xml", title="News") + alternate("/print", "text/html") + alternate("/de", "")
    site.page("/", start("/a", "/a#part", "/b", "https://elsewhere.example/", "mailto:a@b.c", head=head))
    site.page("/robots.txt", f"Sitemap: {site.origin}/one.xml\nSitemap: /two.xml", content_type="text/plain")
    site.page("/one.xml", urlset("/a", "/b", "/c", "https://elsewhere.example/x"), content_type=XML)
    site.page("/two.xml", "<sitemapindex><sitemap><loc>/three.xml</loc></sitemap></sitemapindex>", content_type=XML)
    site.page("/three.xml", urlset("/d"), content_type=XML)
    site.page("/feed.xml", "<rss><channel><item><link>/news</link></item></channel></rss>", content_type=RSS)

    found = await look(site, fetcher)

    assert (found.url, found.title, found.problems, found.is_complete) == (f"{site.origin}/", "Acme", [], True)
    assert found.offers == [
        Offer(SeedKind.SITE, f"{site.origin}/", "Acme", 3),
        Offer(SeedKind.SITEMAP, f"{site.origin}/one.xml", "", 3),
        Offer(SeedKind.SITEMAP, f"{site.origin}/two.xml", "", 1),
        Offer(SeedKind.FEED, f"{site.origin}/feed.xml", "News", 1),
    ]


async def test_usual_places_are_tried_where_none_is_named_and_are_no_problem(
    site: LoopbackSite, fetcher: Fetcher
) -> None:
    site.page("/", start())
    site.page("/sitemap_index.xml", urlset("/a", "/b"), content_type=XML)
    found = await look(site, fetcher)
    assert [(offer.kind, offer.pages) for offer in found.offers] == [(SeedKind.SITE, 1), (SeedKind.SITEMAP, 2)]
    assert found.problems == []


async def test_a_start_page_that_cannot_be_parsed_is_a_problem_and_sitemaps_are_still_found(
    site: LoopbackSite, fetcher: Fetcher
) -> None:
    site.page("/", f"<p {' '.join(f'a{n}' for n in range(200_000))}>")
    site.page("/sitemap.xml", urlset("/a"), content_type=XML)
    found = await look(site, fetcher)
    assert found.problems == [(f"{site.origin}/", "a tag of the page has more than 1,000 attributes")]
    assert [offer.kind for offer in found.offers] == [SeedKind.SITEMAP]


async def test_what_is_named_and_cannot_be_read_is_a_problem(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/", start(head=alternate("/feed") + alternate("/empty")))
    site.page(
        "/robots.txt", f"Sitemap: {site.origin}/gone.xml\nUser-agent: *\nDisallow: /feed", content_type="text/plain"
    )
    site.page("/empty", "<rss><channel></channel></rss>", content_type=RSS)
    found = await look(site, fetcher)
    assert [offer.kind for offer in found.offers] == [SeedKind.SITE]
    assert [url.removeprefix(site.origin) for url, _ in found.problems] == ["/gone.xml", "/feed", "/empty"]
    assert "/feed" not in site.paths


async def test_a_start_that_robots_forbid_is_not_asked_for(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/", start("/a"))
    site.page("/robots.txt", "User-agent: *\nDisallow: /", content_type="text/plain")
    found = await look(site, fetcher)
    assert (found.offers, [reason for _, reason in found.problems]) == ([], ["robots.txt disallows /"])
    assert site.paths == ["/robots.txt"]


async def test_a_moved_site_is_looked_at_where_it_is_now(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.routes["/"] = lambda _: Reply(301, headers={"Location": "/en/"})
    site.page("/en/", start("/en/a"))
    found = await look(site, fetcher)
    assert found.offers == [Offer(SeedKind.SITE, f"{site.origin}/en/", "Acme", 2)]


async def test_counting_ends_and_says_so(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/", start())
    site.page("/sitemap.xml", urlset(*(f"/{n}" for n in range(500))), content_type=XML)
    found = await look(site, fetcher, DiscoveryLimits(max_pages=100))
    assert found.offers[1] == Offer(SeedKind.SITEMAP, f"{site.origin}/sitemap.xml", "", 100, has_more=True)


async def test_no_more_than_a_few_feeds_and_sitemaps_are_asked_for(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/", start(head="".join(alternate(f"/feed{n}") for n in range(50))))
    named = "\n".join(f"Sitemap: /map{n}.xml" for n in range(50))
    site.page("/robots.txt", named, content_type="text/plain")
    await look(site, fetcher, DiscoveryLimits(max_feeds=2, max_sitemaps=3))
    assert [path for path in site.paths if "feed" in path] == ["/feed0", "/feed1"]
    assert [path for path in site.paths if "map" in path] == ["/map0.xml", "/map1.xml", "/map2.xml"]


async def test_a_site_that_drips_costs_no_more_than_the_time_for_looking(site: LoopbackSite, fetcher: Fetcher) -> None:
    def drip(_: object) -> Reply:
        def chunks():  # type: ignore[no-untyped-def]
            while not site.closing.wait(0.05):
                yield b"<!-- -->"

        return Reply(200, headers={"Content-Type": XML}, chunks=chunks)

    site.page("/", start("/a"))
    site.routes["/sitemap.xml"] = drip
    began = time.monotonic()
    found = await look(site, fetcher, DiscoveryLimits(seconds=1))
    assert time.monotonic() - began < 5
    assert not found.is_complete
    assert [offer.kind for offer in found.offers] == [SeedKind.SITE]


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1/", "http://169.254.169.254/latest/", "file:///etc/passwd", "http://localhost/"]
)
async def test_what_must_not_be_dialled_is_not(url: str, site: LoopbackSite, fetcher: Fetcher) -> None:
    discovery = SiteDiscovery(fetcher, Robots(fetcher))
    try:
        found = await discovery.look(url)
    except UrlRefused:
        return
    assert found.offers == []  # a name is refused for what it resolves to
    assert found.problems


async def test_what_a_site_names_is_guarded_like_the_site(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/", start("http://10.0.0.1/", head=alternate("http://169.254.169.254/feed")))
    site.page("/robots.txt", "Sitemap: http://10.0.0.1/map.xml", content_type="text/plain")
    found = await look(site, fetcher)
    assert found.offers == [Offer(SeedKind.SITE, f"{site.origin}/", "Acme", 1)]


async def test_an_llms_txt_is_offered_as_a_list_of_pages(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/", start("/a"))
    site.page("/llms.txt", "# Acme\n\n- [A](/a.md)\n- [B](/b.md)\n", content_type="text/plain")

    found = await look(site, fetcher)

    assert Offer(SeedKind.SITEMAP, f"{site.origin}/llms.txt", "", 2) in found.offers


async def identity(site: LoopbackSite, fetcher: Fetcher) -> SiteIdentity:
    return await SiteDiscovery(fetcher, Robots(fetcher)).identity_of(f"{site.origin}/")


ICONS = '<link rel="icon" sizes="32x32" href="/small.png"><link rel="apple-touch-icon" href="/touch.png">'


async def test_a_site_is_known_by_its_name_colour_icon_and_language(site: LoopbackSite, fetcher: Fetcher) -> None:
    said = '<meta property="og:site_name" content="Acme Lamps"><meta name="theme-color" content="#0F766E">'
    dark = '<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#111111">'
    site.page("/", start(head=dark + said + ICONS).replace("<html>", '<html lang="de-AT">'))
    site.page("/touch.png", "the picture", content_type="image/png")
    assert await identity(site, fetcher) == SiteIdentity("Acme Lamps", "#0f766e", b"the picture", "de")


@pytest.mark.parametrize(
    ("said", "color"),
    [("#0a7", "#00aa77"), ("#ffffff", ""), ("#f5f5f0", ""), ("teal", ""), ("#12", ""), ("#ffd400", "#ffd400")],
)
async def test_a_colour_is_one_that_a_launcher_can_wear(
    site: LoopbackSite, fetcher: Fetcher, said: str, color: str
) -> None:
    site.page("/", start(head=f'<meta name="theme-color" content="{said}">'))
    assert (await identity(site, fetcher)).color == color


@pytest.mark.parametrize(
    ("icons", "robots", "content_type"),
    [
        pytest.param('<link rel="icon" sizes="32x32" href="/touch.png">', "", "image/png", id="small"),
        pytest.param('<link rel="icon" href="/touch.png">', "", "image/png", id="of unknown size"),
        pytest.param(ICONS, "", "image/svg+xml", id="no pixels"),
        pytest.param(ICONS, "User-agent: *\nDisallow: /touch", "image/png", id="not for robots"),
        pytest.param('<link rel="icon" sizes="96x96" href="http://10.0.0.5/x.png">', "", "image/png", id="private"),
    ],
)
async def test_an_icon_that_cannot_be_a_logo_is_none(
    site: LoopbackSite, fetcher: Fetcher, icons: str, robots: str, content_type: str
) -> None:
    site.page("/", start(head=icons))
    site.page("/robots.txt", robots, content_type="text/plain")
    site.page("/touch.png", "the picture", content_type=content_type)
    assert (await identity(site, fetcher)).icon == b""


async def test_a_site_that_cannot_be_read_says_nothing_of_itself(site: LoopbackSite, fetcher: Fetcher) -> None:
    site.page("/robots.txt", "User-agent: *\nDisallow: /", content_type="text/plain")
    site.page("/", start(head=ICONS))
    assert await identity(site, fetcher) == SiteIdentity()
    with pytest.raises(UrlRefused):
        await SiteDiscovery(fetcher, Robots(fetcher)).identity_of("ftp://acme.example/")

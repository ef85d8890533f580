"""Sitemaps that explode, run in circles, or read files."""

import gzip

import pytest

from crawler.discover.crawl_seeds import SeedKind
from crawler.discover.sitemap import SitemapLimits
from tests.misbehaving.conftest import Crawl
from tests.misbehaving.raw_server import Asked, RawSite, answer, page

MiB = 1024 * 1024
URL = "<url><loc>{}</loc></url>"
OPEN = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


def laughs(site: RawSite) -> str:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE u [<!ENTITY l0 "lol">{entities}]><urlset><url><loc>&l9;</loc></url></urlset>'


def external(site: RawSite) -> str:
    return f'<!DOCTYPE u [<!ENTITY x SYSTEM "{site.origin}/stolen">]><urlset><url><loc>&x;</loc></url></urlset>'


def local_file(site: RawSite) -> str:
    return '<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>&x;</loc></url></urlset>'


def parameter_entity(site: RawSite) -> str:
    return f'<!DOCTYPE u [<!ENTITY % x SYSTEM "{site.origin}/stolen"> %x;]><urlset></urlset>'


def external_subset(site: RawSite) -> str:
    return f'<!DOCTYPE urlset SYSTEM "{site.origin}/stolen"><urlset><url><loc>/a</loc></url></urlset>'


@pytest.mark.parametrize("bomb", [laughs, external, local_file, parameter_entity, external_subset])
def test_a_document_type_is_refused(bomb: object, site: RawSite, crawl: Crawl) -> None:
    assert callable(bomb)
    site.serves("/sitemap.xml", bomb(site), content_type="application/xml")
    report = crawl("/sitemap.xml", kind=SeedKind.SITEMAP)
    assert report.problems == ((f"{site.origin}/sitemap.xml", "the sitemap declares a document type or entities"),)
    assert report.stopped == "nothing_to_visit"
    assert "/stolen" not in site.asked


def newlines() -> bytes:
    return b"\n" * (200 * MiB)


def urls() -> bytes:
    return OPEN + b"<url><loc>/a</loc></url>" * (4 * MiB) + b"</urlset>"


@pytest.mark.parametrize("content", [newlines, urls])
@pytest.mark.parametrize("is_encoded_twice", [False, True])
def test_a_gzip_bomb_is_refused(is_encoded_twice: bool, content: object, site: RawSite, crawl: Crawl) -> None:
    assert callable(content)
    bomb = gzip.compress(content(), 1)
    if is_encoded_twice:
        site.serves("/map.gz", gzip.compress(bomb), content_type="application/gzip", content_encoding="gzip")
    else:
        site.serves("/map.gz", bomb, content_type="application/gzip")
    report = crawl("/map.gz", kind=SeedKind.SITEMAP)
    assert "unpacks to more than" in report.problems[0][1]


@pytest.mark.parametrize(
    "content",
    [
        b"https://a.example/\n" + b"\n" * (19 * MiB),
        OPEN + b"<a>" * (6 * MiB),
        OPEN + b"<url><loc>" + b"\n" * (19 * MiB),
        OPEN + b"<url><loc>" + b"x" * (19 * MiB) + b"</loc></url></urlset>",
        OPEN + b"<url><loc>&amp;&lt;" * MiB,
        OPEN + b"<url " + b"".join(b"a%d='' " % n for n in range(MiB)) + b"/></urlset>",
        OPEN + b"".join(b"<a%d/>" % n for n in range(MiB)) + b"</urlset>",
        OPEN + b"".join(b"<u a%d=''/>" % n for n in range(MiB)) + b"</urlset>",
        OPEN + b"".join(b"<u xmlns:a%d='b'/>" % n for n in range(MiB * 3 // 4)) + b"</urlset>",
        OPEN + b"<!--" + b"-" * (19 * MiB),
        OPEN + b"".join(b"<url><loc>/%d</loc></url>" % n for n in range(600_000)) + b"</urlset>",
        b"".join(b"https://www.example.com/%d\n" % n for n in range(650_000)),
    ],
    ids=[
        "empty lines",
        "depth",
        "a text of lines",
        "a long text",
        "references",
        "attributes",
        "names of elements",
        "names of attributes",
        "namespaces",
        "a comment",
        "many pages",
        "many lines",
    ],
)
def test_a_file_made_to_fill_memory_does_not(content: bytes, site: RawSite, crawl: Crawl) -> None:
    assert len(content) <= 20 * MiB
    site.serves("/map.xml", content, content_type="application/xml")
    report = crawl("/map.xml", kind=SeedKind.SITEMAP, sitemap_limits=SitemapLimits(max_urls=1000))
    assert report.stopped in ("nothing_to_visit", "page_budget", "site_failing", "finished")


def test_an_index_of_indexes_without_end_is_left(site: RawSite, crawl: Crawl) -> None:
    def deeper(asked: Asked) -> list[bytes]:
        if not asked.path.startswith("/index"):
            return answer("", 404)
        nested = "".join(f"<sitemap><loc>{asked.path}{n}</loc></sitemap>" for n in range(30))
        return answer(f"<sitemapindex>{nested}</sitemapindex>", content_type="application/xml")

    site.otherwise = deeper
    report = crawl("/index", kind=SeedKind.SITEMAP, sitemap_limits=SitemapLimits(max_files=25))
    assert report.stopped == "nothing_to_visit"
    assert len([path for path in site.asked if path.startswith("/index")]) == 25
    assert any("more sitemap files were not read" in reason for _, reason in report.problems)


def test_an_index_that_names_itself_is_read_once(site: RawSite, crawl: Crawl) -> None:
    site.serves("/map.xml", "<sitemapindex><sitemap><loc>/map.xml</loc></sitemap></sitemapindex>")
    crawl("/map.xml", kind=SeedKind.SITEMAP)
    assert site.asked.count("/map.xml") == 1


def test_a_bad_sitemap_does_not_cost_the_site(site: RawSite, crawl: Crawl) -> None:
    site.serves("/robots.txt", "Sitemap: /bad.xml", content_type="text/plain")
    site.serves("/bad.xml", "<html>this is no sitemap")
    site.serves("/", page("/a"))
    site.serves("/a", page())
    report = crawl()
    assert {outcome for outcome, _ in report.pages.values()} == {"fetched"}
    assert report.problems == ((f"{site.origin}/bad.xml", "the file is not a sitemap"),)

import gzip
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.discover.sitemap import SitemapEntry, SitemapKind, parse_sitemap, parse_w3c_datetime
from crawler.errors import SitemapRefused
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urls(body: bytes, max_urls: int = 100) -> list[str]:
    return [entry.url for entry in parse_sitemap(body, max_urls).entries]


def urlset(*locations: str, attributes: str = NAMESPACE) -> bytes:
    entries = "".join(f"<url><loc>{location}</loc></url>" for location in locations)
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {attributes}>{entries}</urlset>'.encode()


def test_a_urlset_lists_pages_with_their_dates() -> None:
    body = f"""<?xml version="1.0"?><urlset {NAMESPACE}>
      <url><loc> https://e.com/a?x=1&amp;y=2 </loc><lastmod>2024-05-06T07:08:09+02:00</lastmod></url>
      <url><loc><![CDATA[https://e.com/b]]></loc><priority>0.5</priority></url>
      <url><lastmod>2024-01-01</lastmod></url></urlset>""".encode()
    moment = datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone(timedelta(hours=2)))
    sitemap = parse_sitemap(body)
    assert sitemap.kind is SitemapKind.PAGES
    assert sitemap.entries == (SitemapEntry("https://e.com/a?x=1&y=2", moment), SitemapEntry("https://e.com/b"))


def test_an_index_lists_sitemaps() -> None:
    body = f"<sitemapindex {NAMESPACE}><sitemap><loc>https://e.com/1.xml</loc></sitemap></sitemapindex>".encode()
    assert parse_sitemap(body).kind is SitemapKind.INDEX


@pytest.mark.parametrize("attributes", ["", NAMESPACE, 'xmlns="http://www.google.com/schemas/sitemap/0.84"'])
def test_any_or_no_namespace_is_read(attributes: str) -> None:
    assert urls(urlset("https://e.com/a", attributes=attributes)) == ["https://e.com/a"]


def test_a_feed_is_a_sitemap_of_its_newest_pages() -> None:
    rss = b"""<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>https://e.com/</link>
      <item><title>A</title><link>https://e.com/a</link><atom:link href="https://e.com/no"/>
      <pubDate>Mon, 06 May 2024 07:08:09 GMT</pubDate></item></channel></rss>"""
    atom = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://e.com/"/><entry>
      <link rel="enclosure" href="https://e.com/a.mp3"/><link href="https://e.com/a"/>
      <updated>2024-05-06T07:08:09Z</updated></entry></feed>"""
    expected = (SitemapEntry("https://e.com/a", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),)
    assert parse_sitemap(rss).entries == expected
    assert parse_sitemap(atom).entries == expected


def test_images_of_a_page_are_not_pages() -> None:
    body = f"""<urlset {NAMESPACE} xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><url>
      <i:loc>https://e.com/no</i:loc><loc>https://e.com/a</loc>
      <i:image><i:loc>https://e.com/a.png</i:loc></i:image></url></urlset>""".encode()
    assert urls(body) == ["https://e.com/a"]


@every_row(
    "body",
    [
        pytest.param(b"\xef\xbb\xbf\n " + urlset("https://e.com/a"), id="byte order mark and blanks"),
        pytest.param(gzip.compress(urlset("https://e.com/a")), id="gz"),
        pytest.param(urlset("https://e.com/a").decode().replace("UTF-8", "UTF-16").encode("utf-16"), id="UTF-16"),
        pytest.param(b"https://e.com/a\r\n\nnot a url\n", id="plain text"),
        pytest.param(urlset("https://e.com/a") + b"<oops", id="rubbish after the end"),
    ],
)
def test_files_as_servers_send_them_are_read(body: bytes) -> None:
    assert urls(body) == ["https://e.com/a"]


def test_a_file_that_breaks_off_keeps_what_came_before() -> None:
    assert urls(urlset("https://e.com/a", "https://e.com/b")[:-40]) == ["https://e.com/a"]


def test_a_bare_ampersand_does_not_spoil_the_file() -> None:
    body = urlset("https://e.com/?a=1&b=2", "https://e.com/?c=1&amp;d=2&#38;e=3")
    assert urls(body) == ["https://e.com/?a=1&b=2", "https://e.com/?c=1&d=2&e=3"]


def test_no_more_urls_are_read_than_wanted() -> None:
    assert len(urls(urlset(*(f"https://e.com/{n}" for n in range(50))), max_urls=7)) == 7


@every_row(
    "doctype",
    [
        pytest.param('<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>', id="external entity"),
        pytest.param('<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd">', id="external subset"),
        pytest.param('<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY f "&a;&a;&a;">]>', id="entity bomb"),
        pytest.param('<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1/"> %p;]>', id="parameter entity"),
    ],
)
@every_row("encoding", ["utf-8", "utf-16"])
def test_a_document_type_is_refused_whatever_it_declares(doctype: str, encoding: str) -> None:
    text = f"{doctype}<urlset><url><loc>https://e.com/&f;</loc></url></urlset>"
    with pytest.raises(SitemapRefused):
        parse_sitemap(text.encode(encoding))


@every_row("body", [b"", b"<html><body>404</body></html>", b"hello", b"\x1f\x8bnope"])
def test_what_is_no_sitemap_is_refused(body: bytes) -> None:
    with pytest.raises(SitemapRefused):
        parse_sitemap(body)


def test_a_gz_bomb_is_refused() -> None:
    with pytest.raises(SitemapRefused):
        parse_sitemap(gzip.compress(b"<urlset>" + b" " * 5_000_000), max_bytes=100_000)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(SitemapRefused):
        parse_sitemap(data)


@every_row(
    ("text", "moment"),
    [
        ("2024", datetime(2024, 1, 1, tzinfo=UTC)),
        ("2024-05", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024-05-06", datetime(2024, 5, 6, tzinfo=UTC)),
        ("2024-05-06T07:08Z", datetime(2024, 5, 6, 7, 8, tzinfo=UTC)),
        ("2024-05-06T07:08:09", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_of_every_length_are_read(text: str, moment: datetime | None) -> None:
    assert parse_w3c_datetime(text) == moment


LLMS = """# Lamps and more

> What the shop says.
> It says it in two lines.

Call us, or see [the shop](https://shop.example/not-listed).

- A rule without a link.
- `Code` first, then [a link](/not-first.md)

## Guides

- [Start](/guides/start.md): how to begin, see [more](/not-first.md)
- [Prices \\[new\\]](https://shop.example/prices.html.md)
* [Arabic: الأسعار](<https://shop.example/ar/prices>): notes
- [A bracket](/wiki/Lamp_(desk).md "Title")
- [No address]()

## Optional

- [Changes](changes.md)
"""


def test_an_llms_txt_is_a_list_of_pages() -> None:
    found = parse_sitemap(LLMS.encode())
    assert found.kind is SitemapKind.PAGES
    assert [entry.url for entry in found.entries] == [
        "/guides/start.md",
        "https://shop.example/prices.html.md",
        "https://shop.example/ar/prices",
        "/wiki/Lamp_(desk).md",
        "changes.md",
    ]


def test_an_llms_txt_without_links_is_no_list() -> None:
    with pytest.raises(SitemapRefused):
        parse_sitemap(b"# Shop\n\n> We sell lamps.\n\n- Call us.\n")


@pytest.mark.parametrize("line", ["- [", "- [a](", "- [" + "\\", "- [a](x("], ids=repr)
def test_a_line_that_only_begins_like_a_link_is_read_in_linear_time(line: str) -> None:
    def read(text: str) -> None:
        with suppress(SitemapRefused):
            parse_sitemap(text.encode())

    assert takes_linear_time(read, line, 100_000)

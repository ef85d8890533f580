"""Feeds as blogs and shops send them, and as attackers would."""

import gzip
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.discover.feed import parse_feed
from crawler.discover.sitemap import SitemapEntry, SitemapKind
from crawler.errors import SitemapRefused
from tests.every_row import every_row

RSS_2 = b"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom"
     xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/">
<channel>
  <title>The blog</title><link>https://e.com/</link>
  <atom:link href="https://e.com/feed.xml" rel="self" type="application/rss+xml"/>
  <image><link>https://e.com/logo</link></image>
  <item>
    <title>First &amp; last</title><link>https://e.com/first?a=1&amp;b=2</link>
    <guid isPermaLink="false">https://e.com/?p=1</guid>
    <pubDate>Mon, 06 May 2024 07:08:09 +0200</pubDate>
    <atom:link href="https://e.com/no"/><media:content url="https://e.com/a.png"><link>https://e.com/no</link></media:content>
    <content:encoded><![CDATA[<p>Hello <a href="https://e.com/no">there</a></p>]]></content:encoded>
  </item>
  <item><guid>https://e.com/permalink</guid><dc:date>2024-05-07</dc:date></item>
  <item><title>Without an address</title></item>
  <item><link> /relative </link></item>
</channel></rss>"""
RSS_1 = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
     xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel rdf:about="https://e.com/feed"><title>T</title><link>https://e.com/</link>
    <items><rdf:Seq><rdf:li rdf:resource="https://e.com/a"/></rdf:Seq></items></channel>
  <item rdf:about="https://e.com/a"><title>A</title><link>https://e.com/a</link><dc:date>2024-05-06T07:08:09Z</dc:date></item>
  <item rdf:about="https://e.com/b"><title>B</title></item>
</rdf:RDF>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://e.com/blog/"><title>T</title>
  <link href="https://e.com/"/><link rel="self" href="/atom.xml"/>
  <entry><link rel="enclosure" href="a.mp3"/><link rel="alternate" type="text/html" href="a"/>
    <link rel="alternate" type="application/pdf" href="a.pdf"/>
    <published>2024-01-01T00:00:00Z</published><updated>2024-05-06T07:08:09Z</updated>
    <source><link href="https://elsewhere.example/"/></source>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><a href="no">x</a></div></content></entry>
  <entry xml:base="2023/"><link href="b"/><published>2024-01-01T00:00:00Z</published></entry>
</feed>"""


def urls(body: bytes, max_urls: int = 100) -> list[str]:
    return [entry.url for entry in parse_feed(body, max_urls).entries]


def rss(*items: str) -> bytes:
    return f'<rss version="2.0"><channel>{"".join(items)}</channel></rss>'.encode()


def item(link: str) -> str:
    return f"<item><link>{link}</link></item>"


def test_rss_2_lists_its_items_with_their_dates() -> None:
    sitemap = parse_feed(RSS_2)
    assert sitemap.kind is SitemapKind.PAGES
    assert sitemap.entries == (
        SitemapEntry("https://e.com/first?a=1&b=2", datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone(timedelta(hours=2)))),
        SitemapEntry("https://e.com/permalink", datetime(2024, 5, 7, tzinfo=UTC)),
        SitemapEntry("/relative"),
    )


def test_rss_1_lists_items_that_stand_beside_the_channel() -> None:
    assert parse_feed(RSS_1).entries == (
        SitemapEntry("https://e.com/a", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        SitemapEntry("https://e.com/b"),
    )


def test_atom_lists_each_entrys_own_page_and_when_it_changed() -> None:
    assert parse_feed(ATOM).entries == (
        SitemapEntry("https://e.com/blog/a", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        SitemapEntry("https://e.com/blog/2023/b", datetime(2024, 1, 1, tzinfo=UTC)),
    )


@every_row(
    "body",
    [
        pytest.param(b"\xef\xbb\xbf\r\n" + rss(item("https://e.com/a")), id="byte order mark and blanks"),
        pytest.param(gzip.compress(rss(item("https://e.com/a"))), id="gz"),
        pytest.param(
            b'<?xml version="1.0" encoding="UTF-16"?>'.decode().encode("utf-16")
            + rss(item("https://e.com/a")).decode().encode("utf-16-le"),
            id="UTF-16",
        ),
        pytest.param(
            rss(item("https://e.com/a")).replace(
                b"<rss version", b"<?xml version='1.0' encoding='latin-1'?><rss version"
            ),
            id="latin-1",
        ),
        pytest.param(rss(item("https://e.com/a")) + b"<!-- served in 3 ms --><oops", id="rubbish after the end"),
        pytest.param(rss(item("https://e.com/a"), "<item><link>https://e.com/b")[:-16], id="cut"),
        pytest.param(
            rss(item("https://e.com/a")).replace(b"<channel>", b"<channel><title>A&nbsp;B</title>"), id="HTML entity"
        ),
        pytest.param(b"<rss><item><link>https://e.com/a</link></item></rss>", id="0.9, without channel"),
    ],
)
def test_feeds_as_servers_send_them_are_read(body: bytes) -> None:
    assert urls(body) == ["https://e.com/a"]


@every_row("encoding", ["GB2312", "EUC-KR", "Big5", "Shift_JIS", "x-sjis", "ISO-2022-JP", "utf-32", "koi8-r"])
def test_a_feed_in_the_encoding_of_its_country_is_read(encoding: str) -> None:
    text = (
        RSS_2.decode()
        .replace('encoding="UTF-8"', f'encoding="{encoding}"')
        .replace("The blog", {"koi8-r": "Блог"}.get(encoding, "日本"))
    )
    found = parse_feed(text.encode(encoding.removeprefix("x-")))
    assert [entry.url for entry in found.entries] == [entry.url for entry in parse_feed(RSS_2).entries]


def test_a_bare_ampersand_is_forgiven() -> None:
    assert urls(rss(item("https://e.com/a?x=1&y=2"), item("https://e.com/b"))) == [
        "https://e.com/a?x=1&y=2",
        "https://e.com/b",
    ]


@every_row("date", ["yesterday", "", "32 May 2024", "x" * 10_000], ids=["word", "none", "odd", "long"])
def test_a_date_that_nobody_can_read_is_none(date: str) -> None:
    [entry] = parse_feed(rss(f"<item><link>https://e.com/a</link><pubDate>{date}</pubDate></item>")).entries
    assert entry.last_modified is None


@every_row(
    "body",
    [
        b"",
        b"<html><body>Not found</body></html>",
        b"https://e.com/a\n",
        b"{}",
        b"<urlset><url><loc>https://e.com/a</loc></url></urlset>",
    ],
    ids=["empty", "HTML", "text", "JSON", "sitemap"],
)
def test_what_is_no_feed_is_refused(body: bytes) -> None:
    with pytest.raises(SitemapRefused, match="not a feed"):
        parse_feed(body)


BOMB = b"""<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>"""
FILE = b"""<!DOCTYPE rss [<!ENTITY a SYSTEM "file:///etc/passwd">]>"""


@pytest.mark.parametrize(
    "head", [BOMB, FILE, b'<!DOCTYPE rss SYSTEM "http://10.0.0.1/rss.dtd">'], ids=["bomb", "file", "DTD"]
)
def test_a_document_type_is_refused(head: bytes) -> None:
    with pytest.raises(SitemapRefused, match="document type"):
        parse_feed(head + rss(item("&a;")))


@every_row(
    ("body", "words"),
    [
        (b"<rss><channel>" + b"<a>" * 5000, "nests elements more than"),
        (b"<rss><channel>" + b"".join(b"<a%d/>" % n for n in range(5000)), "names"),
        (b"<rss><channel><item title='" + b"a" * 2_000_000, "a token of more than"),
        (gzip.compress(b"<rss>" + b" " * 4_000_000), "larger|bytes"),
    ],
    ids=["deep", "names", "tag without end", "gzip bomb"],
)
def test_what_would_fill_the_memory_is_refused(body: bytes, words: str) -> None:
    with pytest.raises(SitemapRefused, match=words):
        parse_feed(body, max_bytes=3_000_000)


def test_a_huge_entry_counts_for_its_address_alone() -> None:
    body = rss(f"<item><description>{'words ' * 200_000}</description><link>https://e.com/a</link></item>")
    assert urls(body) == ["https://e.com/a"]


def test_no_more_entries_are_read_than_asked_for() -> None:
    body = rss(*(item(f"https://e.com/{n}") for n in range(1000)))[:-50]
    assert len(urls(body, max_urls=10)) == 10


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(tail: bytes) -> None:
    with suppress(SitemapRefused):
        parse_feed(RSS_2[:700] + tail)


def test_a_link_that_is_no_url_costs_no_other_entry() -> None:
    links = "".join(f'<entry><link href="{link}"/></entry>' for link in ("/a", "http://[x", "/b"))
    feed = f'<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://e.com/">{links}</feed>'
    found = [entry.url for entry in parse_feed(feed.encode(), 10, 10_000).entries]
    assert [found[0], found[-1]] == ["https://e.com/a", "https://e.com/b"]

"""Bodies that are too large, too slow, broken, or not what their headers say."""

import gzip
import zlib

import pytest

from tests.misbehaving.conftest import Crawl
from tests.misbehaving.raw_server import RawSite, answer, head, page

BOMB = b"<p>boom</p>" * 20_000_000  # 220 MB
KIND_OF_BOMB = {
    "gzip": gzip.compress(BOMB[:120_000_000], 6),
    "gzip in many members": gzip.compress(BOMB[:1_000_000], 6) * 120,
    "deflate": zlib.compress(BOMB[:120_000_000], 6),
}
del BOMB


@pytest.mark.parametrize(("name", "encoding"), [*zip(KIND_OF_BOMB, ("gzip", "gzip", "deflate"), strict=True)])
def test_a_decompression_bomb_is_too_large(name: str, encoding: str, site: RawSite, crawl: Crawl) -> None:
    site.serves("/", KIND_OF_BOMB[name], content_encoding=encoding)
    report = crawl()
    assert report.pages["/"][0] == "too_large"
    assert report.stop_reason.startswith("No page could be read: the page is larger than")


@pytest.mark.parametrize("encoding", ["br", "zstd", "compress", "gzip, gzip", "gzip, br"])
def test_an_encoding_that_was_not_offered_is_not_undone(encoding: str, site: RawSite, crawl: Crawl) -> None:
    site.serves("/", gzip.compress(b"x" * 1_000_000), content_encoding=encoding)
    assert "not offered" in crawl().pages["/"][1]


@pytest.mark.parametrize("length", ["", "999999999999"])
def test_a_body_without_end_is_too_large(length: str, site: RawSite, crawl: Crawl) -> None:
    start = head(content_length=length) if length else head()
    site.routes["/"] = site.without_end(start, b"<p>more and more</p>" * 3000)
    assert crawl().pages["/"][0] == "too_large"


def test_chunks_without_end_are_too_large(site: RawSite, crawl: Crawl) -> None:
    chunk = b"8000\r\n" + b"<p>more</p> " * 2730 + b"12345678" + b"\r\n"
    site.routes["/"] = site.without_end(head(transfer_encoding="chunked"), chunk)
    assert crawl().pages["/"][0] == "too_large"


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 200 OK\r\n", b"X-Slow: yes\r\n"),
        (head(), b"<p>"),
        (head(transfer_encoding="chunked"), b"1\r\nx\r\n"),
        (head(content_encoding="gzip") + gzip.compress(b"")[:10], b"\0"),
    ],
    ids=["status line", "headers", "body", "chunks", "gzip"],
)
def test_what_drips_is_given_up(start: bytes, piece: bytes, site: RawSite, crawl: Crawl) -> None:
    site.routes["/"] = site.without_end(start, piece, pause_seconds=0.05)
    outcome, reason = crawl().pages["/"]
    assert outcome in ("timed_out", "unreachable"), reason


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\nContent-", head(), head(content_length="500") + b"<p>"])
def test_who_falls_silent_is_given_up(start: bytes, site: RawSite, crawl: Crawl) -> None:
    site.routes["/"] = site.silent(start)
    assert crawl().pages["/"][0] == "timed_out"


def test_headers_without_end_are_refused(site: RawSite, crawl: Crawl) -> None:
    site.routes["/"] = site.without_end(b"HTTP/1.1 200 OK\r\n", b"X-More: " + b"y" * 4000 + b"\r\n")
    assert crawl().pages["/"][0] == "unreachable"


def test_preliminary_answers_without_end_are_given_up(site: RawSite, crawl: Crawl) -> None:
    site.routes["/"] = site.without_end(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", pause_seconds=0.001)
    assert crawl().pages["/"][0] == "timed_out"


@pytest.mark.parametrize(
    "raw",
    [
        head(content_length="5000") + b"<p>short",
        head(transfer_encoding="chunked") + b"10\r\nshort",
        head(transfer_encoding="chunked") + b"zz\r\nnot a length\r\n0\r\n\r\n",
        head(transfer_encoding="chunked") + b"-5\r\nabc\r\n0\r\n\r\n",
        head(content_length="-1") + b"<p>negative",
        head(content_length="ten") + b"<p>a word",
        head(content_length="3")[:-2] + b"Content-Length: 4\r\n\r\nabcd",
        head(content_encoding="gzip", content_length="4") + b"\x1f\x8b\x08\x00",
        head(content_encoding="gzip", content_length="9") + b"not gzip!",
        b"HTTP/1.1 200 OK\nno: headers\x00\n\n",
        b"HTTP/9.9 wonderful\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,
        b"",
    ],
)
def test_an_answer_that_breaks_the_protocol_is_no_answer(raw: bytes, site: RawSite, crawl: Crawl) -> None:
    site.says("/", raw)
    report = crawl()
    assert report.pages["/"][0] == "unreachable"
    assert "No page could be read" in report.stop_reason


def test_one_broken_page_does_not_cost_the_others(site: RawSite, crawl: Crawl) -> None:
    site.serves("/", page("/cut", "/bomb", "/good"))
    site.says("/cut", head(content_length="5000") + b"<p>short")
    site.serves("/bomb", KIND_OF_BOMB["gzip"], content_encoding="gzip")
    site.serves("/good", page())
    report = crawl()
    outcomes = {path: outcome for path, (outcome, _) in report.pages.items()}
    assert outcomes == {"/": "fetched", "/cut": "unreachable", "/bomb": "too_large", "/good": "fetched"}
    assert report.stopped == "finished"


def test_a_body_longer_than_it_said_is_cut_there(site: RawSite, crawl: Crawl) -> None:
    text = page().encode()
    site.says("/", head(content_length=str(len(text))), text, b"<p>smuggled</p>", *answer("<p>a second answer</p>"))
    report = crawl()
    assert report.pages["/"][0] == "fetched"
    assert "smuggled" not in report.texts["/"]


@pytest.mark.parametrize(
    "body",
    [
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj <</Type /Catalog>> endobj\n" + b"stream words " * 100,
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
        b"GIF89a" + bytes(range(256)) * 40,
        b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(range(256)) * 40,
        b"PK\x03\x04" + bytes(range(256)) * 40,
        b"\x7fELF\x02\x01\x01" + b"\0" * 4000,
        b"OggS\x00\x02" + bytes(range(256)) * 40,
    ],
    ids=["pdf", "png", "gif", "jpeg", "zip", "elf", "ogg"],
)
def test_a_file_that_calls_itself_a_page_is_not_read(body: bytes, site: RawSite, crawl: Crawl) -> None:
    site.serves("/", body)
    assert crawl().pages["/"][0] == "not_html"


@pytest.mark.parametrize("content_type", ["application/json", "video/mp4", "text/css", "application/octet-stream"])
def test_a_page_that_calls_itself_a_file_is_not_read(content_type: str, site: RawSite, crawl: Crawl) -> None:
    site.serves("/", page(), content_type=content_type)
    outcome, reason = crawl().pages["/"]
    assert (outcome, content_type in reason) == ("not_html", True)


def test_a_page_in_several_encodings_at_once_is_read_as_far_as_it_goes(site: RawSite, crawl: Crawl) -> None:
    latin, utf8, sjis = (
        "Gr\xfc\xdfe aus K\xf6ln".encode("latin-1"),
        "Grüße aus Köln".encode(),
        "日本語".encode("shift_jis"),
    )
    words = b"<p>This page was glued together from the files of three systems: "
    site.serves("/", b"<html><main>" + words + latin + b" and " + utf8 + b" and " + sjis + b"</main>")
    report = crawl()
    assert report.pages["/"][0] == "fetched"
    assert "glued together" in report.texts["/"]


@pytest.mark.parametrize("charset", ["utf-7", "utf-16", "hex", "rot13", "idna", "nonsense", "x" * 5000, "\\x00"])
def test_a_charset_that_is_none_does_not_stop_the_reading(charset: str, site: RawSite, crawl: Crawl) -> None:
    site.serves("/", page(), content_type=f"text/html; charset={charset}")
    assert crawl().pages["/"][0] in ("fetched", "empty_text")


def test_markup_without_end_costs_no_more_than_its_page(site: RawSite, crawl: Crawl) -> None:
    deep = b"<div>" * 60_000 + b"<p>down here</p>"
    wide = b"<a href=/x" + b" y=z" * 200_000 + b">wide</a>"
    tables = b"<table><tr><td>" * 3000
    site.serves("/", page("/deep", "/wide", "/tables", "/links"))
    for path, body in (("/deep", deep), ("/wide", wide), ("/tables", tables)):
        site.serves(path, b"<html><body>" + body)
    site.serves("/links", "".join(f'<a href="/p{n}?{"q" * 300}">x</a>' for n in range(9000)))
    report = crawl()
    assert {"/deep", "/wide", "/tables", "/links"} <= set(report.pages)
    assert report.stopped == "page_budget"

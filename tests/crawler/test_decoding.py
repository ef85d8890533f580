"""Bytes to text as a browser would read them."""

import pytest

from crawler.decoding import decode_html

TEXT = "<p>Grüße — naïve €5</p>"


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        pytest.param(TEXT.encode(), "utf-8", id="as HTTP says"),
        pytest.param(TEXT.encode(), '"UTF-8"', id="a quoted parameter"),
        pytest.param(TEXT.encode("cp1252"), "windows-1252", id="another charset of HTTP"),
        pytest.param(TEXT.encode("cp1252"), "iso-8859-1", id="latin-1 is read as browsers do"),
        pytest.param(b"\xef\xbb\xbf" + TEXT.encode(), "iso-8859-1", id="a byte order mark beats HTTP"),
        pytest.param(b"\xff\xfe" + TEXT.encode("utf-16-le"), None, id="UTF-16"),
        pytest.param(TEXT.encode(), None, id="UTF-8 unsaid"),
        pytest.param(TEXT.encode(), "no-such-charset", id="an unknown name"),
        pytest.param(TEXT.encode(), "hex", id="a codec that is no charset"),
        pytest.param(TEXT.encode(), "ascii", id="a default of the server that the page contradicts"),
    ],
)
def test_text_is_read(body: bytes, charset: str | None) -> None:
    assert decode_html(body, charset) == TEXT


def test_the_page_names_its_own_charset() -> None:
    body = '<meta charset="shift_jis"><p>日本語</p>'.encode("shift_jis")
    assert "日本語" in decode_html(body, None)


def test_a_commented_charset_does_not_count() -> None:
    body = '<!-- <meta charset="shift_jis"> --><meta http-equiv="Content-Type" content="text/html; charset=utf-8">é'
    assert decode_html(body.encode(), None).endswith("é")


def test_an_unnamed_charset_is_detected() -> None:
    body = ("Добрый день, это русский текст без указания кодировки. " * 8).encode("cp1251")
    assert "русский текст" in decode_html(body, None)


def test_nothing_raises() -> None:
    assert isinstance(decode_html(bytes(range(256)) * 4, "utf-8"), str)
    assert decode_html(b"", None) == ""


def test_line_ends_are_one_sign() -> None:
    assert decode_html(b"a\r\nb\rc", "utf-8") == "a\nb\nc"

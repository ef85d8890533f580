import pytest

from app.core.origin import is_listed, normal_origin, normal_pattern
from tests.every_row import every_row

LISTED = ("https://www.example.com", "https://*.shop.example", "http://localhost:3000", "https://xn--bcher-kva.example")


@every_row(
    "origin",
    [
        "https://www.example.com",
        "https://www.example.com:443",
        "https://eu.shop.example",
        "https://xn--80ak6aa92e.shop.example",
        "http://localhost:3000",
        "https://xn--bcher-kva.example",
    ],
)
def test_a_listed_website_is_let_in(origin: str) -> None:
    assert is_listed(origin, LISTED)


@every_row(
    "origin",
    [
        "",
        "null",
        "*",
        "https://",
        "www.example.com",
        "//www.example.com",
        "http://www.example.com",
        "https://example.com",
        "https://www.example.com:8443",
        "https://www.example.com:80",
        "https://www.example.com:0443",
        "https://www.example.com:",
        "https://www.example.com:443443",
        "https://www.example.com.",
        "https://www.example.com..",
        "https://.www.example.com",
        "https://www.example.com/",
        "https://www.example.com/path",
        "https://www.example.com?",
        "https://www.example.com#",
        "https://www.example.com\\",
        "https://www.example.com\n",
        "\nhttps://www.example.com",
        " https://www.example.com",
        "https://www.example.com ",
        "https://www.example.com\t",
        "https://www.example.com\x00",
        "https://www.example.com,https://evil.example",
        "https://www.example.com https://evil.example",
        "https://www.example.com.evil.example",
        "https://www.example.comevil.example",
        "https://evil.example/https://www.example.com",
        "https://evilwww.example.com",
        "https://evil-www.example.com",
        "https://www-example.com",
        "https://wwwxexample.com",
        "https://www.examp1e.com",
        "https://www.еxample.com",  # the first e is Cyrillic
        "https://www.example。com",  # an ideographic full stop
        "https://ｗｗｗ.example.com",
        "https://www.example.com%2eevil.example",
        "https://www%2eexample%2ecom",
        "https://user@www.example.com",
        "https://www.example.com@evil.example",
        "https://user:www.example.com@evil.example",
        "https://evil.example\\@www.example.com",
        "HTTPS://www.example.com",
        "https://WWW.EXAMPLE.COM",
        "ftp://www.example.com",
        "file://",
        "data:text/html,x",
        "chrome-extension://www.example.com",
        "javascript://www.example.com",
        "wss://www.example.com",
        "https:www.example.com",
        "https:/www.example.com",
        "https:///www.example.com",
        "https://shop.example",
        "https://.shop.example",
        "https://a.b.shop.example",
        "https://evilshop.example",
        "https://*.shop.example",
        "https://eu.shop.example.evil.example",
        "http://eu.shop.example",
        "https://eu.shop.example:8443",
        "http://localhost",
        "http://localhost:30000",
        "https://localhost:3000",
        "http://127.0.0.1:3000",
        "http://[::1]:3000",
        "https://bücher.example",
        "https://www.example.com:443:443",
        "https://www.example.com:+443",
        "https://www.example.com:４４３",
        "https://[www.example.com]",
        "https://www.example.com\u200b",
        "https://www.exam\u00adple.com",
        "https://www.ex\u0430mple.com",
        "https://xn--www.example.com",
        "view-source:https://www.example.com",
        "https://www.example.com" + ".example" * 60,
    ],
)
def test_a_look_alike_is_not(origin: str) -> None:
    assert not is_listed(origin, LISTED)


@pytest.mark.parametrize("pattern", ["https://*.co.uk", "https://*.vercel.app"])
def test_a_public_suffix_that_was_listed_before_lets_nobody_in(pattern: str) -> None:
    assert not is_listed(pattern.replace("*", "anybody"), (pattern,))


def test_an_empty_list_has_nobody_in_it() -> None:
    assert not is_listed("https://www.example.com", ())


@every_row(
    ("pattern", "normal"),
    [
        ("https://www.example.com", "https://www.example.com"),
        (" HTTPS://WWW.Example.com/ ", "https://www.example.com"),
        ("https://www.example.com:443", "https://www.example.com"),
        ("http://example.com:80", "http://example.com"),
        ("http://example.com:8080", "http://example.com:8080"),
        ("https://*.example.com", "https://*.example.com"),
        ("http://*.localhost:3000", "http://*.localhost:3000"),
        ("http://[::1]:3000", "http://[::1]:3000"),
    ],
)
def test_a_pattern_has_one_form(pattern: str, normal: str) -> None:
    assert normal_pattern(pattern) == normal


@every_row(
    "pattern",
    [
        "*",
        "https://*",
        "https://*.com",
        "https://*.*.example.com",
        "https://www.*.com",
        "https://w*.example.com",
        "https://*example.com",
        "*.example.com",
        "example.com",
        "https://example.com/path",
        "https://example.com:99999",
        "https://bücher.example",
        "https://*.127.0.0.1",
        "https://*.co.uk",
        "https://*.github.io",
        "https://*.ck",
        "https://*.anything.ck:8443",
        "https://1.2.3",
        "null",
        "",
    ],
)
def test_a_pattern_that_says_too_much_or_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"\."):
        normal_pattern(pattern)


def test_a_wildcard_is_no_origin() -> None:
    with pytest.raises(ValueError, match="origin"):
        normal_origin("https://*.example.com")

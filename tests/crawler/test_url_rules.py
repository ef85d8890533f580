import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.address_policy import AddressPolicy
from crawler.errors import UrlRefused
from crawler.url_rules import check_url, normalise_url, resolve_url
from tests.every_row import every_row

PATH_TEXT = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp"), exclude_characters="\\"), max_size=30
)
PATHS = st.one_of(PATH_TEXT, st.text("/.%2eEfF?#&=a~", max_size=20))


@given(path=PATHS)
def test_normalising_twice_changes_nothing(path: str) -> None:
    try:
        once = normalise_url(f"https://www.example.com/{path}")
    except UrlRefused:
        return
    assert normalise_url(once) == once
    assert once.isascii()


@given(host=st.text(max_size=15), path=PATH_TEXT)
def test_any_host_is_refused_or_has_one_ascii_spelling(host: str, path: str) -> None:
    try:
        url = check_url(f"http://{host}/{path}")
    except UrlRefused:
        return
    assert url.host.isascii()
    assert check_url(str(url)) == url


@every_row(
    ("written", "normal"),
    [
        pytest.param("HTTP://WWW.Example.COM:80", "http://www.example.com/", id="case and default port"),
        pytest.param("https://example.com:443/a#b", "https://example.com/a", id="fragment"),
        pytest.param("https://example.com:/", "https://example.com/", id="empty port"),
        pytest.param("https://example.com./", "https://example.com/", id="root dot"),
        pytest.param("https://example.com/a/./b/../c", "https://example.com/a/c", id="dot segments"),
        pytest.param("https://example.com/a/%2e%2E/c", "https://example.com/c", id="encoded dot segments"),
        pytest.param("https://example.com/../..", "https://example.com/", id="above the root"),
        pytest.param("https://example.com/a/..", "https://example.com/", id="last segment is dots"),
        pytest.param("https://example.com/a/b/.", "https://example.com/a/b/", id="last segment is a dot"),
        pytest.param("https://example.com/%7euser/%c3%a9", "https://example.com/~user/%C3%A9", id="escapes"),
        pytest.param("https://example.com/é?q=ü", "https://example.com/%C3%A9?q=%C3%BC", id="not ASCII"),
        pytest.param("https://example.com/100%", "https://example.com/100%25", id="a bare percent sign"),
        pytest.param("https://bücher.example/", "https://xn--bcher-kva.example/", id="IDN"),
        pytest.param(
            "https://example.com/?utm_source=x&b=2&fbclid=1&a=1", "https://example.com/?b=2&a=1", id="tracking"
        ),
        pytest.param("https://example.com/?utm_source=x", "https://example.com/", id="nothing but tracking"),
        pytest.param(
            "https://example.com/a;jsessionid=1F?PHPSESSID=2&b=1&ASPSESSIONIDQ=3",
            "https://example.com/a?b=1",
            id="session",
        ),
        pytest.param("https://example.com/a?", "https://example.com/a", id="empty query"),
        pytest.param(
            "https://example.com/?ref=main&source=py", "https://example.com/?ref=main&source=py", id="content"
        ),
        pytest.param("http://[2606:2800:0:0::1]/", "http://[2606:2800::1]/", id="IPv6"),
    ],
)
def test_each_url_has_one_spelling(written: str, normal: str) -> None:
    assert normalise_url(written) == normal


@every_row(
    "text",
    [
        "http:///path",
        "http://@example.com/",
        "http://:@example.com/",
        "http://exa mple.com/",
        "http://example.com/a\\b",
        "http://example.com/a b",
        "http://example.com/\u2028",
        "http://example.com:8081/",
        "http://example.com:+80/",
        "http://example.com:８０/",
        "http://example.0x7f/",
        "http://example.1/",
        "http://1.2.3.4.5/",
        "http://127.0.0.1../",
        "http://example..com/",
        "http://.example.com/",
        "http://loc\u00adalhost/",
        "http://kubernetes.default.svc/",
        "http://router.home.arpa/",
        "http://abc.onion./",
        "http://[fe80::1%25eth0]/",
        "http://[v1.a]/",
        "http://[::ffff:1.2.3.4",
        "http://xn--a/",
        "http://xn--localhost-.example/",
        "http://" + "a." * 130 + "com/",
        "http://" + "a" * 64 + ".com/",
        "http://example.com/" + "a" * 5000,
        "http://example.com/\ud800",
    ],
)
def test_a_url_that_cannot_be_public_or_plain_is_refused(text: str) -> None:
    with pytest.raises(UrlRefused) as refused:
        check_url(text)
    assert refused.value.reason


def test_a_redirect_may_be_relative() -> None:
    assert str(resolve_url("https://example.com/a/b", "../c?x=1")) == "https://example.com/c?x=1"


@every_row("location", ["//10.0.0.1/", "/a\tb", "http://[::1/", "javascript:alert(1)"])
def test_a_redirect_is_checked_like_any_url(location: str) -> None:
    with pytest.raises(UrlRefused):
        resolve_url("https://example.com/a/b", location)


DEMO = AddressPolicy(frozenset({("127.0.0.1", 8123)}))


def test_an_allowed_endpoint_may_be_named() -> None:
    assert str(check_url("http://127.0.0.1:8123/docs", DEMO)) == "http://127.0.0.1:8123/docs"


@every_row(
    "text",
    [
        pytest.param("http://127.0.0.1:8124/", id="another port"),
        pytest.param("http://127.0.0.1/", id="the default port"),
        pytest.param("http://127.0.0.2:8123/", id="another address"),
        pytest.param("http://localhost:8123/", id="a name for it"),
        pytest.param("http://2130706433:8123/", id="another spelling"),
        pytest.param("http://[::ffff:127.0.0.1]:8123/", id="mapped into IPv6"),
        pytest.param("http://example.com:8123/", id="the port on another host"),
    ],
)
def test_everything_else_stays_refused_while_an_endpoint_is_allowed(text: str) -> None:
    with pytest.raises(UrlRefused):
        check_url(text, DEMO)

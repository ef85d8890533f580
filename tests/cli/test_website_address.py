"""Addresses of websites as people type them."""

import pytest

from app.cli.sources.website_address import allow_hint, website_address
from tests.every_row import every_row


@every_row(
    ("typed", "address"),
    [
        ("https://www.example.com/a?b=c", "https://www.example.com/a?b=c"),
        ("www.example.com", "https://www.example.com"),
        ("example.com:8443/docs", "https://example.com:8443/docs"),
        ("localhost:8799", "http://127.0.0.1:8799"),
        ("http://localhost:8799/docs/", "http://127.0.0.1:8799/docs/"),
        ("http://LOCALHOST/", "http://127.0.0.1/"),
        ("http://localhost.example.com/", "http://localhost.example.com/"),
        ("127.0.0.1:8799", "http://127.0.0.1:8799"),
        ("[::1]:8799", "http://[::1]:8799"),
        (" example.com ", "https://example.com"),
    ],
)
def test_a_scheme_is_added_and_localhost_is_a_number(typed: str, address: str) -> None:
    assert website_address(typed) == address


@every_row(
    ("address", "added"),
    [
        pytest.param("http://127.0.0.1:8799/", "--allow 127.0.0.1:8799", id="this machine"),
        pytest.param("http://127.0.0.1/", "--allow 127.0.0.1:80", id="its usual port"),
        pytest.param("https://10.1.2.3/", "--allow 10.1.2.3:443", id="a private network"),
        pytest.param("http://[::1]:8799/", "--allow [::1]:8799", id="in brackets"),
        pytest.param("http://1.1.1.1:8701/", "--allow 1.1.1.1:8701", id="an unusual port"),
        pytest.param("http://1.1.1.1/", "", id="a public one"),
        pytest.param("https://www.example.com/", "", id="a name"),
        pytest.param("https://www.example.com:8701/", "--allow IP:8701", id="a name's unusual port"),
        pytest.param("http://192.168.1.1:99/", "", id="allowed already"),
        pytest.param("http://127.0.0.1:99999/", "", id="no port at all"),
    ],
)
def test_what_would_let_the_crawler_in_is_named(address: str, added: str) -> None:
    said = allow_hint(address, [("192.168.1.1", 99)])
    assert said.endswith(added)
    assert bool(said) is bool(added)

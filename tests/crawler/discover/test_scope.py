import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.discover.scope import Scope, matches_pattern, page_key
from crawler.url_rules import check_url
from tests.every_row import every_row


def allows(scope: Scope, url: str) -> bool:
    return scope.allows(check_url(url))


SITE = Scope.around([check_url("https://www.example.com/")])


@pytest.mark.parametrize("url", ["https://www.example.com/a", "http://example.com/", "https://example.com/?q=1"])
def test_scheme_and_www_make_no_other_site(url: str) -> None:
    assert allows(SITE, url)


@every_row(
    "url",
    ["https://blog.example.com/", "https://example.org/", "https://example.com.evil.org/", "https://example.com:8443/"],
)
def test_another_host_or_port_is_another_site(url: str) -> None:
    assert not allows(SITE, url)


@every_row(
    ("path", "belongs"), [("/docs", True), ("/docs/a", True), ("/docs2", False), ("/", False), ("/docs/../x", False)]
)
def test_a_path_prefix_ends_at_a_segment(path: str, belongs: bool) -> None:
    scope = Scope.around([check_url("https://example.com/")], path_prefix="/docs")
    assert allows(scope, f"https://example.com{path}") == belongs


def test_files_may_stand_beside_the_path_prefix() -> None:
    start = check_url("https://example.com/")
    scope = Scope.around([start], path_prefix="/docs", exclude=["/private/*"], with_files=True)
    assert allows(scope, "https://example.com/uploads/Manual.PDF?v=2")
    assert not allows(scope, "https://example.com/uploads/manual.pdf.html")
    assert not allows(scope, "https://example.com/private/manual.pdf")
    assert not allows(scope, "https://other.example/manual.pdf")
    assert not allows(Scope.around([start], path_prefix="/docs"), "https://example.com/uploads/manual.pdf")


def test_exclude_beats_include() -> None:
    scope = Scope.around([check_url("https://example.com/")], include=["/docs/*", "/faq"], exclude=["*/old/*", "*?*"])
    assert allows(scope, "https://example.com/docs/a")
    assert allows(scope, "https://example.com/faq")
    assert not allows(scope, "https://example.com/blog")
    assert not allows(scope, "https://example.com/docs/old/a")
    assert not allows(scope, "https://example.com/docs/a?print=1")


@given(st.text("ab*", max_size=8), st.text("ab", max_size=10))
def test_patterns_match_as_a_regular_expression_would(pattern: str, text: str) -> None:
    expression = ".*".join(re.escape(part) for part in pattern.split("*"))
    assert matches_pattern(pattern, text) == bool(re.fullmatch(expression, text))


def test_scheme_and_www_make_no_other_page() -> None:
    urls = ["http://example.com/a?b", "https://www.example.com/a?b", "https://www.example.com./a?b#c"]
    assert len({page_key(check_url(url)) for url in urls}) == 1
    assert page_key(check_url("https://example.com/a/")) != page_key(check_url("https://example.com/a"))

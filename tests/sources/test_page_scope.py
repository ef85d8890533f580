"""Which addresses may be asked for."""

import pytest

from app.core.errors import InvalidInput
from app.sources import kinds
from app.sources.runs.page_scope import PageScope
from app.sources.source import SourceConfig
from tests.every_row import every_row

DOCS = SourceConfig(kinds.SITE, "Docs", url="https://www.example.com/docs/", exclude=("/docs/old/*",))
PAGE = SourceConfig(kinds.URL, "Prices", url="https://www.example.com/prices")


def test_a_source_may_be_at_an_endpoint_that_is_allowed() -> None:
    demo = SourceConfig(kinds.SITE, "Demo", url="http://127.0.0.1:8123/")
    with pytest.raises(InvalidInput):
        PageScope().check(demo)
    PageScope([("127.0.0.1", 8123)]).check(demo)


def test_a_given_source_has_nothing_to_dial() -> None:
    PageScope().check(SourceConfig(kinds.TEXT, "Notes", url="http://wiki.internal/notes", text="Notes."))


def test_addresses_are_spelt_as_the_crawl_spells_them() -> None:
    asked = [
        "https://WWW.example.com:443/docs/a/../b?utm_source=mail#top",
        " https://www.example.com/docs/b ",
        "https://www.example.com/docs/c",
    ]
    assert PageScope().canonical(DOCS, asked) == [
        "https://www.example.com/docs/b",
        "https://www.example.com/docs/c",
    ]


@every_row(
    "url",
    [
        "https://www.example.com/shop",
        "https://elsewhere.example/docs/a",
        "https://www.example.com/docs/old/a",
        "http://127.0.0.1/docs/a",
        "ftp://www.example.com/docs/a",
        "not an address",
        "",
    ],
)
def test_an_address_that_is_not_the_sources_is_refused_by_its_place(url: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        PageScope().canonical(DOCS, ["https://www.example.com/docs/a", url])
    assert refused.value.field == "urls.1"


def test_a_source_of_one_page_has_no_other() -> None:
    scope = PageScope()
    assert scope.canonical(PAGE, ["http://example.com/prices"]) == ["http://example.com/prices"]
    with pytest.raises(InvalidInput):
        scope.canonical(PAGE, ["https://www.example.com/other"])

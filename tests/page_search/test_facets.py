"""What pages that were found can be narrowed by."""

from datetime import date
from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from app.core.chunk import Chunk
from app.core.search_filter import SearchFilter
from app.page_search.facets import MAX_VALUES, facets
from app.sources.source import UNLINKED
from tests.every_row import every_row


def page(url: str, language: str | None = "en") -> Chunk:
    return Chunk("c", uuid4(), uuid4(), 0, "Text.", "", url, "Title", None, (), date(2026, 1, 1), language)


def values(*pages: Chunk, **chosen: str) -> dict[str, list[tuple[str, str, int]]]:
    return {each.name: [(one.value, one.label, one.pages) for one in each.values] for each in facets(pages, chosen)}


HOST = "https://a.example"


def at(*paths: str) -> list[Chunk]:
    return [page(f"{HOST}{path}") for path in paths]


@every_row(
    ("paths", "folders"),
    [
        (["/docs/a", "/docs/b", "/blog/c"], [("/docs/", "docs", 2), ("/blog/", "blog", 1)]),
        (["/docs/api/a", "/docs/guide%20book/b"], [("/docs/api/", "api", 1), ("/docs/guide%20book/", "guide book", 1)]),
        (["/docs/", "/docs/a/", "/help/", "/help/b/"], [("/docs/", "docs", 2), ("/help/", "help", 2)]),
        (["/prices/", "/returns/", "/shipping"], []),
        (["/docs/a", "/docs/b"], []),
        (["/docs/a", "/docs/b", "/shipping"], []),
        ([], []),
    ],
    ids=["two", "below what they share", "with a page of its own", "pages are none", "one", "one and a page", "none"],
)
def test_pages_differ_by_folder(paths: list[str], folders: list[tuple[str, str, int]]) -> None:
    assert values(*at(*paths)) == ({"folder": folders} if folders else {})


def test_pages_of_two_sites_differ_by_site() -> None:
    pages = [page("https://a.example/docs/x"), page("https://a.example/docs/y"), page("https://b.example/z")]
    assert values(*pages) == {"folder": [("//a.example/", "a.example", 2), ("//b.example/", "b.example", 1)]}


def test_pages_differ_by_language() -> None:
    pages = [page(f"{HOST}/x", "de"), page(f"{HOST}/y", "en"), page(f"{HOST}/z", "de"), page(f"{HOST}/w", None)]
    assert values(*pages) == {"language": [("de", "German", 2), ("en", "English", 1)]}


def test_folders_that_only_part_the_languages_are_left_out() -> None:
    pages = [page(f"{HOST}/de/x", "de"), page(f"{HOST}/de/y", "de"), page(f"{HOST}/en/x", "en")]
    assert list(values(*pages)) == ["language"]


def test_what_was_chosen_can_be_taken_back_whatever_is_found() -> None:
    assert values(*at("/docs/a"), folder="/blog/") == {"folder": [("/blog/", "blog", 0)]}
    many = [path for number in range(9) for path in (f"/f{number}/a", f"/f{number}/b")]
    assert values(*at(*many), folder="/f8/")["folder"][-1] == ("/f8/", "f8", 2)


def test_a_document_without_an_address_is_in_no_folder() -> None:
    pages = [*at("/docs/a", "/blog/b"), page(f"{UNLINKED}{uuid4()}")]
    assert [value for value, *_ in values(*pages)["folder"]] == ["/docs/", "/blog/"]


_SEGMENT = st.sampled_from(["a", "b", "c"])


@given(paths=st.lists(st.lists(_SEGMENT, max_size=4), max_size=12), has_two_hosts=st.booleans())
def test_a_folder_passes_as_many_of_the_pages_as_it_says(paths: list[list[str]], *, has_two_hosts: bool) -> None:
    hosts = ["https://a.example", "https://b.example"] if has_two_hosts else [HOST]
    urls = [f"{hosts[at % len(hosts)]}/{'/'.join(path)}" for at, path in enumerate(paths)]
    found = values(*map(page, urls)).get("folder", [])
    assert len(found) <= MAX_VALUES
    assert len(found) != 1
    for value, _, count in found:
        assert count == sum(SearchFilter(path_prefixes=(value,)).has_path_of(url) for url in urls)

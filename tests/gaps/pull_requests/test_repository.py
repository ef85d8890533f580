"""Which file of the repository a page is made of."""

from uuid import uuid4

import pytest

from app.core.errors import InvalidInput
from app.gaps.pull_requests.pull_request import Repository, check_repository
from tests.every_row import every_row

DOCS = Repository(uuid4(), uuid4(), "nimbrel", "website", base_path="/docs", root="content/docs")


@every_row(
    ("path", "first"),
    [
        ("/docs/shipping", "content/docs/shipping.md"),
        ("/docs/shipping/", "content/docs/shipping.md"),
        ("/docs/help/winter.html", "content/docs/help/winter.md"),
        ("/docs/help/index.html", "content/docs/help.md"),
        ("/docs", "content/docs/index.md"),
        ("/docs/a%20b?x=1#part", "content/docs/a b.md"),
    ],
)
def test_a_page_is_looked_for_by_its_path(path: str, first: str) -> None:
    assert DOCS.files_of(f"https://www.example.com{path}")[0] == first


@every_row(
    "path", ["/blog/shipping", "/docsandmore", "/docs/../secrets", "/docs/%2e%2e/%2e%2e/x", "/docs/.github/workflows/x"]
)
def test_a_page_that_is_not_of_it_or_leads_out_of_it_has_no_file(path: str) -> None:
    assert DOCS.files_of(f"https://www.example.com{path}") == ()


@every_row(
    ("field", "value"),
    [
        ("owner", "nimbrel/website"),
        ("name", ".."),
        ("branch", "main?x"),
        ("root", "docs/../.."),
        ("root", ".github"),
        ("patterns", ("page.md",)),
        ("patterns", ("../{path}.md",)),
        ("patterns", ()),
    ],
)
def test_what_names_no_place_within_the_repository_is_refused(field: str, value: object) -> None:
    with pytest.raises(InvalidInput):
        check_repository(Repository(uuid4(), uuid4(), **{"owner": "nimbrel", "name": "website", field: value}))  # type: ignore[arg-type]

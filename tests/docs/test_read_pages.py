"""The documentation shows a page as it is read now."""

from tests.docs.read_pages import DOCUMENT, renewed


def test_what_is_read_of_the_page_is_what_the_documentation_shows() -> None:
    document = DOCUMENT.read_text("utf-8")
    assert document.count("what is read of the page beside it") == 1
    assert renewed(document) == document, f"Run `make reference` to renew {DOCUMENT.name}."

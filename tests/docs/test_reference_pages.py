"""The reference pages say what the code says."""

from tests.docs.reference_pages import FOLDER, pages
from tests.every_row import every_row

PAGES = pages()


@every_row("name", PAGES)
def test_a_reference_page_is_what_the_code_makes(name: str) -> None:
    assert (FOLDER / name).read_text("utf-8") == PAGES[name], f"Run `make reference` to renew docs/reference/{name}."

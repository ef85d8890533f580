"""The reference pages say what the code says."""

import pytest

from tests.docs.reference_pages import FOLDER, pages

PAGES = pages()


@pytest.mark.parametrize("name", PAGES)
def test_a_reference_page_is_what_the_code_makes(name: str) -> None:
    assert (FOLDER / name).read_text("utf-8") == PAGES[name], f"Run `make reference` to renew docs/reference/{name}."

"""One newcomer for all tests, and a small website on this machine."""

from collections.abc import Iterator

import pytest

from tests.newcomer.newcomer import Newcomer, install
from tests.recipes.website import Website, website

_PAGES = {
    "index.html": "<h1>Harbour Lamps</h1><p>We make lamps by the sea.</p><a href=/returns.html>Returns</a>",
    "returns.html": "<h1>Returns</h1><h2>How long do returns take?</h2>"
    "<p>A lamp can be sent back within 30 days of delivery, and the money is returned within a week.</p>"
    "<h2>Who pays for the parcel?</h2><p>Harbour Lamps pays for the parcel of every lamp that is sent back.</p>",
}


@pytest.fixture(scope="session")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Newcomer:
    return install(tmp_path_factory.mktemp("newcomer"))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    folder = tmp_path_factory.mktemp("website")
    for name, body in _PAGES.items():
        page = f"<!doctype html><html lang=en><title>Harbour Lamps</title><body><main>{body}</main></body></html>"
        (folder / name).write_text(page, "utf-8")
    with website(folder) as serving:
        yield serving

"""One newcomer for all tests, and a website on this machine."""

from collections.abc import Iterator

import pytest

from app.cli.demo.site_server import DemoSite, serve_demo_site
from tests.newcomer.newcomer import Newcomer, settle_in


@pytest.fixture(scope="session")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Newcomer:
    return settle_in(tmp_path_factory.mktemp("newcomer"))


@pytest.fixture(scope="session")
def site() -> Iterator[DemoSite]:
    with serve_demo_site() as serving:
        yield serving

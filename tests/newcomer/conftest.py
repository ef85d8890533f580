"""One newcomer for the tests of a process, all of whom use one installation; and a website on this machine."""

from collections.abc import Iterator

import pytest

from app.cli.demo.site_server import DemoSite, serve_demo_site
from tests.newcomer.newcomer import Newcomer, install


@pytest.fixture(scope="session")
def newcomer(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Newcomer:
    of_this_run = tmp_path_factory.getbasetemp()
    folder = of_this_run if worker_id == "master" else of_this_run.parent  # which its processes share
    return Newcomer(tmp_path_factory.mktemp("home"), install(folder / "installed"))


@pytest.fixture(scope="session")
def site() -> Iterator[DemoSite]:
    with serve_demo_site() as serving:
        yield serving

"""A real Docent, a website of any origin that its agent allows, and a real browser that hears every complaint."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.conftest import PATIENCE_MS
from tests.e2e.conftest import browser as browser
from tests.e2e.real_docent import RealDocent, real_docent
from tests.recipes.website import Website, website

_SECONDS = 1_200  # the first test of a run waits until a site is crawled and two servers are up


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    own = Path(__file__).parent
    for item in items:
        if own in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(_SECONDS))


@pytest.fixture(scope="session")
def docent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealDocent]:
    with real_docent(tmp_path_factory.mktemp("docent")) as docent:
        yield docent


@pytest.fixture(scope="session")
def served(docent: RealDocent, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    with website(tmp_path_factory.mktemp("empty")) as site:
        agent = f"/v1/agents/{docent.agent_id}"
        headers = {"Authorization": f"Bearer {docent.token}"}
        httpx2.patch(
            f"{docent.base}{agent}", json={"allowed_origins": [site.origin]}, headers=headers
        ).raise_for_status()
        docent.client.post(f"{agent}/publish")
        yield site


@pytest.fixture
def site(served: Website, docent: RealDocent, tmp_path: Path) -> Website:
    """Without pages. What tools write into theirs themselves, inline, is allowed; of other origins Docent's alone."""
    served.folder = tmp_path / "website"
    served.folder.mkdir()
    served.policy = (
        f"default-src 'self'; script-src 'self' 'unsafe-inline' {docent.base}; connect-src 'self' {docent.base}; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:"
    )
    return served


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """Of the browser or of scripts: errors that nobody caught, refusals of the policy, pages that did not hydrate."""
    heard: list[str] = []
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("console", lambda line: heard.append(line.text) if line.type in ("error", "warning") else None)
    return heard

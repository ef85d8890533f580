"""A real browser and a scripted server for every test of the widget."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.doubles.scripted_widget_api import ScriptedWidgetApi, done, serve, tokens
from tests.e2e.real_docent import RealDocent, real_docent

CHROMIUM = "/usr/bin/chromium"
# Draws no window, which saves a third of the processor time.
CHROMIUM_SHELL = shutil.which("chromium-headless-shell") or CHROMIUM
WIDGET_FILES = Path(__file__).parents[2] / "widget" / "dist"
QUESTION = "How long do returns take?"
ASKS_FOR_SOMEBODY = "Can I talk to a human?"
# A window draws the lists below its address bar as two pages of its own, which costs more than most of our tests do. Of
# such switches the last one counts, so that what Playwright switches off for all pages stands here as well.
OFF = [
    *("WebUIOmniboxPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxAimPopup", "InitialWebUI", "WebUIReloadButton"),
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay"),
    *("HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"),
    *("AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled"),
    "PreconnectToSearch",
]
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", f"--disable-features={','.join(OFF)}"]


PATIENCE_MS = 120_000  # for machines that have much else to do
expect.set_options(timeout=PATIENCE_MS)


class Site:
    """A host site with our script on it: its pages on `localhost`, the API on 127.0.0.1, so the origins differ."""

    def __init__(self, api: ScriptedWidgetApi, port: int) -> None:
        self.api = api
        self.origin = f"http://localhost:{port}"
        self.api_origin = f"http://127.0.0.1:{port}"
        self.write()

    def tag(self, agent: str = "a1", attributes: str = "") -> str:
        return f'<script async src="{self.api_origin}/widget/widget.js" data-agent="{agent}" {attributes}></script>'

    def write(
        self, *, attributes: str = "", body: str = "", head: str = "", lang: str = "en", has_main: bool = True
    ) -> None:
        """Puts the widget on the site's one page, with `body` as the page's own content."""
        main = f"<main><h1>Shop</h1>{body}</main>" if has_main else body
        self.api.pages[""] = (
            f'<!doctype html><html lang="{lang}"><head><meta name="viewport" content="width=device-width">'
            f"<title>Shop</title>{head}</head><body>{main}{self.tag(attributes=attributes)}</body></html>"
        )


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM_SHELL, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def site() -> Iterator[Site]:
    api = ScriptedWidgetApi(files=WIDGET_FILES)
    port, stop = serve(api.app())
    yield Site(api, port)
    api.release()
    stop()


@pytest.fixture(scope="session")
def read_docent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealDocent]:
    with real_docent(tmp_path_factory.mktemp("docent")) as docent:
        yield docent


@pytest.fixture
def docent(read_docent: RealDocent) -> RealDocent:
    """The real processes, the plain tag on the demonstration site."""
    read_docent.embed()
    read_docent.host.write("")
    return read_docent


@pytest.fixture
def wary(docent: RealDocent) -> Iterator[RealDocent]:
    """An agent that wants work proven before each question."""
    want_proof(docent, "always")
    yield docent
    want_proof(docent, "off")


def want_proof(docent: RealDocent, when: str) -> None:
    headers = {"Authorization": f"Bearer {docent.token}"}
    path = f"/v1/agents/{docent.agent_id}"
    httpx2.patch(f"{docent.base}{path}", json={"proof_of_work": when}, headers=headers).raise_for_status()
    docent.client.post(f"{path}/publish")


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(
        viewport={"width": 1100, "height": 800}, permissions=["clipboard-read", "clipboard-write"]
    )
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page whose uncaught errors fail the test. What it logs and cannot load is shown with a failure."""
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: print("console:", message.type, message.text))  # noqa: T201
    page.on("requestfailed", lambda request: print("failed:", request.url, request.failure))  # noqa: T201
    page.on("response", lambda response: None if response.ok else print("refused:", response.url))  # noqa: T201
    yield page
    assert errors == []


@pytest.fixture
def live_site(site: Site) -> Site:
    site.api.agent = {"name": "Ada", "theme": {}, "starter_prompts": [], "live_chat": True}
    site.api.script[QUESTION] = [*tokens("30 days."), done()]
    site.api.script[ASKS_FOR_SOMEBODY] = [*tokens("I have asked the team."), done(answered_by="handoff")]
    return site

"""All of Docent below /docent of a website's own host, behind a real nginx that keeps the prefix, and one that strips
it: whatever a page, a script or a program asks for stays below the prefix. Past it nginx has nothing but 404."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.chat import Chat
from tests.e2e.conftest import PATIENCE_MS
from tests.e2e.conftest import browser as browser
from tests.e2e.real_docent import OPERATOR, PASSWORD, WARRANTY, RealDocent, real_docent
from tests.proxies.nginx import nginx

PREFIX = "/docent"
PASSED_ON = "proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto $proto;"
OVER_TLS = "set $proto https;"
PLAIN = "set $proto http;"


@dataclass
class Proxied:
    """`base` holds the prefix."""

    docent: RealDocent
    base: str
    asked: list[str] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return self.base.removesuffix(PREFIX)

    def watch(self, page: Page) -> None:
        """Every request for the proxy's host is noted."""
        page.on("request", lambda request: self.asked.append(request.url))

    def strays(self) -> list[str]:
        """What was asked of the host outside the prefix."""
        here = [url for url in self.asked if url.startswith(f"{self.origin}/")]
        assert here
        return [url for url in here if not urlsplit(url).path.startswith(f"{PREFIX}/")]


@pytest.fixture(scope="module")
def docent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealDocent]:
    settings = {"DOCENT_ROOT_PATH": f"{PREFIX}/", "DOCENT_TRUSTED_PROXIES": "127.0.0.1"}
    with real_docent(tmp_path_factory.mktemp("docent"), settings) as docent:
        headers = {"Authorization": f"Bearer {docent.token}"}
        agent = f"{docent.base}/v1/agents/{docent.agent_id}"
        httpx2.patch(agent, json={"open_to_programs": True}, headers=headers, trust_env=False).raise_for_status()
        docent.client.post(f"/v1/agents/{docent.agent_id}/publish")
        yield docent


@pytest.fixture(params=["kept", "stripped"])
def proxied(request: pytest.FixtureRequest, docent: RealDocent) -> Iterator[Proxied]:
    path, upstream = (PREFIX, docent.base) if request.param == "kept" else (f"{PREFIX}/", f"{docent.base}/")
    with nginx(upstream, path=path, location=PASSED_ON, server=PLAIN) as proxy:
        yield Proxied(docent, f"{proxy}{PREFIX}")


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


def test_a_visitor_is_answered_and_nothing_is_asked_outside_the_prefix(
    proxied: Proxied, context: BrowserContext
) -> None:
    page = context.new_page()
    proxied.watch(page)
    proxied.docent.embed(proxied.base)
    chat = Chat.opened(page, proxied.docent.demo.base)
    chat.ask(WARRANTY)
    chat.finish()
    expect(chat.answer).to_contain_text("years")
    assert {"widget.js", "stream"} <= {urlsplit(url).path.rpartition("/")[2] for url in proxied.asked}
    assert proxied.strays() == []


def test_an_operator_signs_in_walks_through_every_page_and_signs_out(proxied: Proxied, context: BrowserContext) -> None:
    page = context.new_page()
    proxied.watch(page)
    failed: list[str] = []
    page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
    page.goto(f"{proxied.base}/console/agents/{proxied.docent.agent_id}/gaps?state=open")
    page.get_by_label("E-mail").fill(OPERATOR)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Gaps", level=1)).to_be_visible()
    assert page.url == f"{proxied.base}/console/agents/{proxied.docent.agent_id}/gaps?state=open"
    links = page.get_by_role("navigation", name="Console").locator("a")  # folded ones as well
    addresses = [str(link.get_attribute("href")) for link in links.all()]
    assert len(addresses) > 10
    for address in addresses:
        page.goto(proxied.origin + address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.locator(".picker").click()
    page.locator(".picker a").first.click()
    page.get_by_role("link", name=OPERATOR).click()
    expect(page.get_by_role("heading", name=re.compile("account", re.IGNORECASE), level=1)).to_be_visible()
    cookies = {cookie["name"]: cookie["path"] for cookie in context.cookies()}
    assert cookies == dict.fromkeys(("__Secure-docent_console", "__Secure-docent_device"), f"{PREFIX}/console")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    assert (failed, proxied.strays()) == ([], [])


def test_the_playground_answers_and_the_preview_opens(proxied: Proxied, context: BrowserContext) -> None:
    """What a page posts, streams and loads by script."""
    page = context.new_page()
    proxied.watch(page)
    agent = f"{proxied.base}/console/agents/{proxied.docent.agent_id}"
    page.goto(f"{agent}/playground")
    page.get_by_label("E-mail").fill(OPERATOR)
    page.get_by_label("Password").fill(PASSWORD)
    with page.expect_request(f"{proxied.base}/console/news"):
        page.get_by_role("button", name="Sign in").click()
    page.get_by_role("textbox").first.fill(WARRANTY)
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("main")).to_contain_text("years")
    page.goto(f"{agent}/settings/embed")
    expect(page.locator("#tag")).to_contain_text(f'src="{proxied.base}/widget/widget.js"')
    expect(page.locator("#pinned")).to_contain_text(f'src="{proxied.base}/widget/widget.')
    page.locator("docent-widget .launcher").wait_for(state="attached")
    assert proxied.strays() == []


def test_the_api_reference_shows_the_document_of_this_address(proxied: Proxied, context: BrowserContext) -> None:
    page = context.new_page()
    proxied.watch(page)
    page.goto(f"{proxied.base}/docs")
    expect(page.locator(".opblock-tag").first).to_be_visible()
    assert f"{proxied.base}/openapi.json" in proxied.asked
    assert proxied.strays() == []
    assert httpx2.get(f"{proxied.base}/openapi.json", trust_env=False).json()["servers"] == [{"url": PREFIX}]
    assert httpx2.get(f"{proxied.base}/", trust_env=False).json()["docs"] == f"{PREFIX}/docs"


def test_programs_are_led_below_the_prefix(proxied: Proxied) -> None:
    """By llms.txt, whose links lead back; by MCP; and by the API."""
    agent_id = proxied.docent.agent_id
    with httpx2.Client(trust_env=False, timeout=30) as http:
        listed = http.get(f"{proxied.base}/llms/{agent_id}/llms.txt").text
        links = re.findall(r"\]\((\S+\.md)\)", listed)
        assert links
        assert all(link.startswith(f"{proxied.base}/llms/{agent_id}/pages/") for link in links)
        assert http.get(links[0]).status_code == 200
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        accepted = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        tools = http.post(f"{proxied.base}/mcp/{agent_id}", content=json.dumps(call), headers=accepted)
        assert tools.status_code == 200, tools.text
        headers = {"Authorization": f"Bearer {proxied.docent.token}"}
        assert http.get(f"{proxied.base}/v1/agents", headers=headers).status_code == 200


def test_addresses_say_https_where_the_trusted_proxy_was_asked_so(docent: RealDocent) -> None:
    with nginx(f"{docent.base}/", path=f"{PREFIX}/", location=PASSED_ON, server=OVER_TLS) as proxy:
        listed = httpx2.get(f"{proxy}{PREFIX}/llms/{docent.agent_id}/llms.txt", trust_env=False).text
    assert f"({proxy.replace('http:', 'https:')}{PREFIX}/llms/{docent.agent_id}/pages/" in listed

"""WebMCP: an assistant of the visitor's browser searches the pages and asks. A script stands in for it."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.doubles.scripted_widget_api import citations, done, error, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import QUESTION, Site
from tests.e2e.test_widget_searches import PAGES, TYPED

# As the draft of June 2026 says, in what a script can see of it.
CONTEXT = """
const tools = new Map();
const context = {
  async registerTool(tool) {
    if (tools.has(tool.name)) throw new DOMException(tool.name, "InvalidStateError");
    JSON.stringify(tool.inputSchema);
    tools.set(tool.name, tool);
  },
};
Object.defineProperty(%s, "modelContext", { value: context });
window.tools = tools;
"""
CITED = {"id": 1, "url": "https://shop.example/returns", "title": "Returns", "quote": "30 days"}


def tag(site: Site, attributes: str = "") -> str:
    return f'<script async src="{site.api_origin}/widget/webmcp.js" data-agent="a1" {attributes}></script>'


def tools(page: Page, site: Site, *, on: str = "document", more: str = "") -> list[str]:
    """The names of what is offered, once all has loaded."""
    page.add_init_script(CONTEXT % on)
    page.goto(site.origin)
    page.wait_for_load_state("networkidle")
    names: list[str] = page.evaluate("[...window.tools.keys()]")
    return names


def call(page: Page, name: str, text: str) -> Any:
    return page.evaluate("([name, text]) => window.tools.get(name).execute({ text })", [name, text])


@pytest.fixture
def offering(site: Site) -> Site:
    site.api.script[QUESTION] = [*tokens("30 days."), citations(CITED), done()]
    site.api.found[TYPED] = {"pages": PAGES, "facets": []}
    site.write(body=tag(site))
    return site


@pytest.mark.parametrize("on", ["document", "navigator"])
def test_it_offers_search_and_ask_where_the_browser_has_an_assistant(page: Page, offering: Site, on: str) -> None:
    assert tools(page, offering, on=on) == ["search", "ask"]
    assert offering.api.calls == [], "nothing is sent before a tool is called"


def test_where_the_browser_has_none_it_does_nothing(page: Page, offering: Site) -> None:
    page.goto(offering.origin)
    page.wait_for_load_state("networkidle")
    assert offering.api.calls == []


def test_search_returns_pages_with_their_passages_as_texts(page: Page, offering: Site) -> None:
    tools(page, offering)
    found = call(page, "search", TYPED)
    assert found[0] == {
        "url": "https://shop.example/returns",
        "title": "Returns",
        "passages": [
            {"url": "https://shop.example/returns#paid", "title": "Paid back", "text": "Your return <b>is</b> paid."}
        ],
    }
    assert call(page, "search", TYPED) == found
    assert [each.path for each in offering.api.calls].count("/v1/widget/init") == 1


def test_a_session_that_has_ended_is_begun_anew(page: Page, offering: Site) -> None:
    offering.api.token_seconds = -1
    tools(page, offering)
    assert call(page, "search", TYPED) == call(page, "search", TYPED)
    assert [each.path for each in offering.api.calls].count("/v1/widget/init") == 2


def test_ask_answers_in_the_chat_that_the_visitor_sees(page: Page, offering: Site) -> None:
    tools(page, offering)
    assert call(page, "ask", QUESTION) == {
        "text": "30 days.",
        "is_sure": True,
        "pages": [{"title": "Returns", "url": "https://shop.example/returns"}],
    }
    chat = Chat(page)
    expect(chat.panel).to_be_visible()
    expect(chat.panel).to_contain_text("30 days.")


def test_a_question_that_fails_is_refused_with_its_code(page: Page, offering: Site) -> None:
    offering.api.script[QUESTION] = [error("unavailable", retryable=False)]
    tools(page, offering)
    with pytest.raises(Exception, match="unavailable"):
        call(page, "ask", QUESTION)


def test_without_a_chat_on_the_page_only_search_works(page: Page, offering: Site) -> None:
    offering.api.pages[""] = f"<!doctype html><title>Shop</title>{tag(offering)}"
    tools(page, offering)
    assert call(page, "search", TYPED)
    with pytest.raises(Exception, match="no chat"):
        call(page, "ask", QUESTION)


def test_a_prefix_keeps_the_names_apart_from_others(page: Page, offering: Site) -> None:
    offering.write(body=tag(offering) + tag(offering, 'data-prefix="shop_"'))
    assert sorted(tools(page, offering)) == ["ask", "search", "shop_ask", "shop_search"]


def test_it_needs_no_more_of_the_pages_policy_than_the_widget(page: Page, offering: Site) -> None:
    origin = offering.api_origin
    offering.api.page_headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src {origin}; connect-src {origin}; require-trusted-types-for 'script'"
    )
    tools(page, offering)
    assert call(page, "search", TYPED)
    assert call(page, "ask", QUESTION)["is_sure"]

"""The search beside the chat: a script of its own, by keyboard all through."""

import re
from typing import Any
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.doubles.scripted_widget_api import Refuse, done, tokens
from tests.e2e.conftest import Site
from tests.e2e.real_docent import RealDocent
from tests.e2e.test_widget_is_for_everyone import AXE


def parts(text: str, match: str = "") -> list[dict[str, Any]]:
    """The API's parts of a text."""
    pieces = re.split(f"({re.escape(match)})", text) if match else [text]
    return [{"text": piece, "is_match": piece == match} for piece in pieces if piece]


PAGES: list[dict[str, Any]] = [
    {
        "url": "https://shop.example/returns",
        "title": parts("Returns", "Ret"),
        "passages": [
            {
                "url": "https://shop.example/returns#paid",
                "headings": parts("Paid back"),
                "text": parts("Your return <b>is</b> paid.", "ret"),
            }
        ],
    },
    {"url": None, "title": parts("Handbook"), "passages": []},
    {"url": "javascript:alert(1)", "title": parts("Trap"), "passages": []},
]
FACETS: list[dict[str, Any]] = [
    {
        "name": "folder",
        "values": [
            {"value": "/docs/", "label": "docs", "pages": 12},
            {"value": "/blog/", "label": "blog <i>", "pages": 3},
        ],
    },
    {
        "name": "language",
        "values": [{"value": "en", "label": "English", "pages": 9}, {"value": "de", "label": "German", "pages": 6}],
    },
]
TYPED = "ret"


class Search:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.box = page.get_by_role("dialog", name="Search")
        self.input = page.get_by_role("combobox", name="Search")
        self.options = page.get_by_role("option")
        self.note = page.locator("docent-search [role=status]")

    def open(self) -> None:
        self.page.keyboard.press("Control+k")
        expect(self.input).to_be_focused()

    def type(self, text: str) -> None:
        self.input.press_sequentially(text)

    @property
    def chosen(self) -> Locator:
        return self.page.get_by_role("option", selected=True)


def tag(site: Site, attributes: str = "") -> str:
    return f'<script async src="{site.api_origin}/widget/search.js" data-agent="a1" {attributes}></script>'


@pytest.fixture
def search(page: Page, site: Site) -> Search:
    """On a page with the chat, that may be searched."""
    site.api.found[TYPED] = {"pages": PAGES}
    site.write(body=f"<button data-docent-search>Find</button><input aria-label=Own>{tag(site)}")
    return visited(page, site)


def visited(page: Page, site: Site) -> Search:
    page.goto(site.origin)
    page.locator("docent-search").wait_for(state="attached")
    return Search(page)


def test_a_search_needs_no_mouse(page: Page, site: Site, search: Search) -> None:
    search.open()
    search.type(TYPED)
    expect(search.options).to_have_count(5)
    expect(search.note).to_have_text("Results: 3")
    expect(search.chosen).to_contain_text("Returns")
    page.keyboard.press("ArrowDown")
    expect(search.chosen).to_contain_text("Paid back")
    expect(search.input).to_have_attribute("aria-activedescendant", search.chosen.get_attribute("id") or "none")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(search.chosen).to_have_text("Ask: ret")
    page.keyboard.press("ArrowDown")
    page.route("https://shop.example/**", lambda route: route.fulfill(body="The page", content_type="text/html"))
    page.keyboard.press("Enter")
    page.wait_for_url("https://shop.example/returns")


def test_asking_comes_first_and_stays_in_view_above_a_long_list(page: Page, site: Site, search: Search) -> None:
    site.api.found[TYPED] = {"pages": [{**PAGES[0], "title": parts(f"Returns {at}")} for at in range(8)]}
    search.open()
    search.type(TYPED)
    expect(search.options.first).to_have_text("Ask: ret")
    expect(search.chosen).to_contain_text("Returns 0")
    for _ in range(15):
        page.keyboard.press("ArrowDown")
    expect(search.chosen).to_contain_text("Paid back")
    expect(search.chosen).to_be_in_viewport(ratio=1)
    ask = search.options.first
    expect(ask).to_be_in_viewport(ratio=1)
    assert ask.evaluate(
        "ask => { const { x, y } = ask.getBoundingClientRect();"
        " return ask.contains(ask.getRootNode().elementFromPoint(x + 20, y + 10)); }"
    ), "nothing is drawn over it"
    for _ in range(15):
        page.keyboard.press("ArrowUp")
    top = search.chosen.bounding_box()
    above = ask.bounding_box()
    assert top
    assert above
    assert top["y"] >= above["y"] + above["height"], "what is chosen is not behind it"


def test_before_anything_is_typed_it_offers_what_was_searched_and_the_starters(
    page: Page, site: Site, search: Search
) -> None:
    question = "How long do returns take?"
    site.api.agent["starter_prompts"] = [question]
    site.api.script[question] = [*tokens("30 days."), done()]
    search.open()
    expect(search.options).to_have_text([question])
    expect(search.chosen).to_have_count(0)
    page.keyboard.press("Enter")
    expect(search.box).to_be_visible()
    search.type("lamp")
    expect(search.note).to_have_text("Nothing was found.")
    search.input.fill(TYPED)
    expect(search.chosen).to_contain_text("Returns")
    page.context.route("https://shop.example/**", lambda route: route.abort())
    search.chosen.click(modifiers=["Control"])
    page.keyboard.press("Escape")
    search.open()
    search.input.fill("")
    expect(search.options).to_have_text([TYPED, question])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(search.input).to_have_value(TYPED)
    expect(search.note).to_have_text("Results: 3")
    search.input.fill("")
    expect(search.options).to_have_text([TYPED, question])
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_role("log")).to_contain_text("30 days.")


def test_without_the_chat_a_starter_is_searched_for(page: Page, site: Site) -> None:
    site.api.agent["starter_prompts"] = [TYPED]
    site.api.found[TYPED] = {"pages": PAGES}
    site.api.pages[""] = f"<!doctype html><html lang=en><title>Shop</title><main><h1>Shop</h1></main>{tag(site)}</html>"
    search = visited(page, site)
    search.open()
    search.options.first.click()
    expect(search.note).to_have_text("Results: 3")
    expect(search.input).to_be_focused()


def test_a_slash_opens_it_but_not_where_one_is_typed(page: Page, search: Search) -> None:
    own = page.get_by_role("textbox", name="Own")
    own.press("/")
    expect(own).to_have_value("/")
    expect(search.box).to_be_hidden()
    own.blur()
    page.keyboard.press("/")
    expect(search.input).to_be_focused()
    search.type("a/b")
    expect(search.input).to_have_value("a/b")


def test_it_shows_its_keys_where_there_is_a_keyboard(page: Page, search: Search) -> None:
    search.open()
    expect(page.locator("docent-search kbd")).to_have_text(["↑", "↓", "↵", "Esc"])


def test_the_box_closes_and_gives_the_focus_back(page: Page, search: Search) -> None:
    own = page.get_by_role("textbox", name="Own")
    own.focus()
    search.open()
    page.keyboard.press("Escape")
    expect(search.box).to_be_hidden()
    expect(own).to_be_focused()
    search.open()
    page.keyboard.press("Control+k")
    expect(search.box).to_be_hidden()
    page.get_by_role("button", name="Find").click()
    expect(search.input).to_be_focused()


def test_what_was_found_is_shown_as_text_and_only_safe_addresses_are_links(page: Page, search: Search) -> None:
    search.open()
    search.type(TYPED)
    expect(search.options.nth(2)).to_contain_text("Your return <b>is</b> paid.")
    assert page.locator("docent-search mark").all_inner_texts() == ["Ret", "ret"]
    assert page.locator("docent-search a").evaluate_all("all => all.map(a => a.href)") == [
        "https://shop.example/returns",
        "https://shop.example/returns#paid",
    ]


def test_pages_are_narrowed_by_buttons_and_a_second_press_shows_all_again(
    page: Page, site: Site, search: Search
) -> None:
    site.api.found[TYPED] = {"pages": PAGES, "facets": FACETS}
    search.open()
    search.type(TYPED)
    blog = search.box.get_by_role("button", name="blog <i> 3")
    german = search.box.get_by_role("button", name="German 6")
    blog.click()
    expect(blog).to_have_attribute("aria-pressed", "true")
    expect(search.input).to_be_focused()
    german.click()
    expect(german).to_have_attribute("aria-pressed", "true")
    blog.click()
    expect(blog).to_have_attribute("aria-pressed", "false")
    assert [dict(parse_qsl(call.query)) for call in site.api.calls_to("/search")[-3:]] == [
        {"q": TYPED, "folder": "/blog/"},
        {"q": TYPED, "folder": "/blog/", "language": "de"},
        {"q": TYPED, "language": "de"},
    ]
    search.input.fill("")
    expect(blog).to_be_hidden()


def test_languages_are_named_in_the_visitors_own(page: Page, site: Site) -> None:
    site.api.found[TYPED] = {"pages": PAGES, "facets": FACETS}
    site.write(lang="fr", body=tag(site))
    visited(page, site)
    page.keyboard.press("Control+k")
    page.locator("docent-search input").press_sequentially(TYPED)
    expect(page.get_by_role("button", name="allemand 6")).to_be_visible()


def test_the_first_option_asks_the_chat(page: Page, site: Site, search: Search) -> None:
    site.api.script["where is it"] = [*tokens("It is here."), done()]
    search.open()
    search.type("where is it")
    expect(search.note).to_have_text("Nothing was found.")
    expect(search.chosen).to_have_text("Ask: where is it")
    page.keyboard.press("Enter")
    expect(search.box).to_be_hidden()
    expect(page.get_by_role("log")).to_contain_text("It is here.")


def test_without_the_chat_there_is_nothing_to_ask(page: Page, site: Site) -> None:
    site.api.found[TYPED] = {"pages": PAGES}
    site.api.pages[""] = f"<!doctype html><html lang=en><title>Shop</title><main><h1>Shop</h1></main>{tag(site)}</html>"
    search = visited(page, site)
    search.open()
    search.type(TYPED)
    expect(search.options).to_have_count(4)
    search.input.fill("nothing")
    expect(search.note).to_have_text("Nothing was found.")
    expect(search.options).to_have_count(0)
    expect(search.input).to_have_attribute("aria-expanded", "false")


def test_nobody_is_asked_before_the_box_is_opened_and_not_for_every_letter(site: Site, search: Search) -> None:
    assert site.api.calls == []
    search.open()
    search.type(TYPED)
    expect(search.options).to_have_count(5)
    [call] = site.api.calls_to("/search")
    assert call.headers["authorization"] == "Bearer token-1"
    assert site.api.calls_to("/messages/stream") == []


def test_a_search_that_fails_says_so_and_the_next_one_may_work(site: Site, search: Search) -> None:
    site.api.refuse_search = Refuse(503, "unavailable")
    search.open()
    search.type(TYPED)
    expect(search.note).to_have_text("The search did not work.")
    site.api.refuse_search = None
    search.input.press("Backspace")
    search.type("t")
    expect(search.note).to_have_text("Results: 3")


def test_a_website_may_keep_the_shortcut_to_itself(page: Page, site: Site) -> None:
    site.write(body=f"<button data-docent-search>Find</button>{tag(site, 'data-shortcut=off')}")
    search = visited(page, site)
    page.keyboard.press("Control+k")
    page.keyboard.press("/")
    expect(search.box).to_be_hidden()
    page.get_by_role("button", name="Find").click()
    expect(search.box).to_be_visible()


def test_the_box_speaks_the_pages_language(page: Page, site: Site) -> None:
    site.api.agent["starter_prompts"] = ["How long?"]
    site.write(lang="ar", body=tag(site))
    visited(page, site)
    page.keyboard.press("Control+k")
    dialog = page.locator("docent-search dialog")
    expect(dialog).to_have_attribute("dir", "rtl")
    expect(dialog.get_by_role("combobox")).to_have_attribute("placeholder", "بحث")
    expect(dialog.get_by_role("option")).to_have_text(["How long?"])
    drawing, words = (dialog.locator(f"[role=option] {each}").bounding_box() for each in ("svg", "bdi"))
    assert drawing
    assert words
    assert drawing["x"] > words["x"], "also before a text that reads the other way"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1100, 360])
def test_no_rule_of_axe_is_broken(page: Page, site: Site, theme: str, width: int) -> None:
    site.api.agent["starter_prompts"] = ["How long do returns take?"]
    site.api.found[TYPED] = {"pages": PAGES, "facets": FACETS}
    site.write(body=tag(site, f"data-theme={theme}"), attributes=f"data-theme={theme}")
    page.set_viewport_size({"width": width, "height": 700})
    search = visited(page, site)
    page.add_script_tag(path=AXE)
    for typed, note in (("", ""), (TYPED, "Results: 3"), ("x", "Nothing was found.")):
        if typed:
            search.input.fill(typed)
        else:
            search.open()
        expect(search.note).to_have_text(note)
        found = page.evaluate("axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']})")
        assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found["violations"]] == []


def test_a_real_server_finds_what_is_typed(page: Page, docent: RealDocent) -> None:
    docent.host.write(f'<script async src="{docent.base}/widget/search.js" data-agent="{docent.agent_id}"></script>')
    page.goto(f"{docent.host.origin}/")
    page.locator("docent-search").wait_for(state="attached")
    search = Search(page)
    search.open()
    search.type("waranty stat")
    expect(page.locator("docent-search mark").first).to_be_visible()
    assert "warranty" in {text.casefold() for text in page.locator("docent-search mark").all_inner_texts()}
    asked = docent.rows("SELECT count(*) FROM turns")
    search.type("ion")
    expect(search.note).to_contain_text("Results")
    assert docent.rows("SELECT count(*) FROM turns") == asked

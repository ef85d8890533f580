"""The conversation as a part of a page, or as a page, in place of the launcher."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.doubles.scripted_widget_api import Step, done, tokens
from tests.e2e.conftest import Site
from tests.e2e.test_widget_is_for_everyone import AXE
from tests.e2e.test_widget_opens_at_once import requests_of

QUESTION = "How long do returns take?"
ANSWER: list[Step] = [*tokens("You have 30 days."), done()]


def put(site: Site, body: str, attributes: str = 'data-target="#help"') -> None:
    tag = f'<script async src="{site.api_origin}/widget/inline.js" data-agent="a1" {attributes}></script>'
    site.api.script[QUESTION] = ANSWER
    site.api.pages[""] = (
        '<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>Shop</title>'
        f"<style>body {{ margin: 0 }} #help {{ height: 600px }}</style></head><body>{body}{tag}</body></html>"
    )


def panel_of(page: Page) -> Locator:
    return page.locator("docent-widget").get_by_role("region")


def ask(page: Page) -> None:
    page.get_by_role("textbox", name="Ask a question").fill(QUESTION)
    page.get_by_role("textbox", name="Ask a question").press("Enter")
    expect(page.locator("docent-widget .answer")).to_contain_text("You have 30 days.")


def test_it_fills_the_element_and_answers(page: Page, site: Site) -> None:
    put(site, '<main><h1>Help</h1><div id="help" style="width:500px"></div></main>')
    page.goto(site.origin)
    panel = panel_of(page)
    expect(panel).to_be_visible()
    box = panel.bounding_box()
    assert box
    assert (box["width"], box["height"]) == (500, 600)
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator("docent-widget .launcher")).to_be_hidden()
    expect(page.get_by_role("button", name=re.compile("Close"))).to_have_count(0)
    assert page.evaluate("document.activeElement === document.body"), "it takes no focus"
    ask(page)
    page.keyboard.press("Escape")
    expect(panel).to_be_visible()


def test_nothing_is_sent_until_it_comes_into_view(page: Page, site: Site) -> None:
    put(site, '<main><h1>Help</h1><p style="height:5000px">Long.</p><div id="help"></div></main>')
    asked = requests_of(page, site)
    page.goto(site.origin)
    page.locator("docent-widget").wait_for(state="attached")
    page.evaluate("new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))")
    assert [path for path in asked if not path.startswith("/widget/inline")] == []
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(panel_of(page)).to_be_visible()
    ask(page)


def test_a_page_that_is_nothing_else_is_filled(page: Page, site: Site) -> None:
    put(site, "<h1>Help</h1><main></main>", 'data-target="main" data-mode="page"')
    page.goto(site.origin)
    panel = panel_of(page)
    ask(page)
    size = page.viewport_size
    box = panel.bounding_box()
    assert box
    assert size
    assert (box["width"], box["height"]) == (size["width"], size["height"])
    text = page.locator("docent-widget .answer").bounding_box()
    assert text
    assert text["width"] <= 760
    # Keyboard users come out of it again.
    page.get_by_role("button", name="Send", exact=True).evaluate("button => button.focus()")
    for _ in range(12):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement?.localName") in ("body", "docent-widget")


def test_the_field_stands_in_the_middle_until_something_is_asked(page: Page, site: Site) -> None:
    site.api.agent["starter_prompts"] = [QUESTION]
    put(site, "<h1 hidden>Help</h1><main></main>", 'data-target="main" data-mode="page"')
    page.goto(site.origin)
    assert page.viewport_size
    height = page.viewport_size["height"]
    group = page.get_by_role("group", name="For example")
    expect(group.get_by_role("button")).to_have_text([QUESTION])
    parts = [page.locator(f"docent-widget {each}") for each in (".greeting", ".starters", "#disclosure", ".composer")]
    places = [part.bounding_box() for part in parts]
    tops = [place["y"] for place in places if place]
    assert tops == sorted(tops)
    assert height / 4 < tops[0] < tops[-1] < height * 3 / 4
    group.get_by_role("button").click()
    expect(page.locator("docent-widget .answer")).to_contain_text("You have 30 days.")
    field = page.locator("docent-widget .composer").bounding_box()
    assert field
    assert field["y"] > height * 3 / 4
    page.get_by_role("button", name="New conversation").click()
    expect(group).to_be_visible()


def test_the_conversation_is_the_launchers_of_the_next_page(page: Page, site: Site) -> None:
    put(site, '<main><h1>Help</h1><div id="help"></div></main>')
    page.goto(site.origin)
    ask(page)
    assert page.evaluate("typeof window.Docent.ask") == "function"
    assert page.evaluate("JSON.parse(localStorage['docent:a1']).open ?? null") is None, "the visitor opened nothing"
    page.evaluate("window.Docent.destroy()")
    expect(page.locator("docent-widget")).to_have_count(0)


def test_without_a_target_it_stands_where_the_tag_does(page: Page, site: Site) -> None:
    put(site, "<main><h1>Help</h1>", "")
    page.goto(site.origin)
    expect(page.locator("main > docent-widget")).to_have_count(1)
    ask(page)


def test_a_target_that_is_not_there_is_named(page: Page, site: Site) -> None:
    put(site, "<main><h1>Help</h1></main>")
    with page.expect_console_message(lambda said: '"#help" is no element' in said.text):
        page.goto(site.origin)
    expect(page.locator("docent-widget")).to_have_count(0)


def test_it_is_for_everyone(page: Page, site: Site) -> None:
    site.api.agent["starter_prompts"] = [QUESTION]
    put(site, '<main><h1>Help</h1><div id="help"></div></main>')
    page.goto(site.origin)
    ask(page)
    page.add_script_tag(path=AXE)
    found = page.evaluate(
        "axe.run({ include: [['docent-widget']] }).then(({ violations }) => violations.map((v) => v.id))"
    )
    assert found == []

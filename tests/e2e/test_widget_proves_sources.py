"""A source opens at the words that the answer rests on."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from app.core.turn import link_to_words
from tests.doubles.scripted_widget_api import citations, done, tokens
from tests.e2e.chat import ANY_VALUE, Chat
from tests.e2e.conftest import Site

QUESTION = "What does it cost?"
LONG = " ".join(f"In month {number} a reading is kept for {number} days and then summed up." for number in range(1, 12))
FAR = '<div style="height: 3000px"></div>'
PAGE = f"""<!doctype html><title>Help</title><main>
<h2 id="top">Plans</h2><p>Plus is one of three plans.</p>
{FAR}<p id="odd">Wi-Fi, hub &amp; app: 5 - 3 = <b>2 sensors</b>, free.</p>
{FAR}<table><tr><td>Basic</td><td>free</td></tr>
<tr id="row"><td>Plus</td><td>€3.90 a month, or €39 a year</td></tr></table>
{FAR}<ol><li id="step">Open Account and choose Plans.</li><li>Choose a plan and confirm it.</li></ol>
{FAR}<p id="long">{LONG}</p>{FAR}</main>"""


def cited(site: Site, words: str | None, number: int = 1, page: str = "help", anchor: str = "#top") -> dict[str, Any]:
    url = f"{site.origin}/{page}{anchor}"
    return {
        "id": number,
        "url": url,
        "title": "Plans",
        "as_of": None,
        "quote": words,
        "link": link_to_words(url, words),
    }


@pytest.mark.parametrize(
    ("words", "place"),
    [
        pytest.param("Wi-Fi, hub & app: 5 - 3 = 2 sensors, free.", "#odd", id="signs that part a directive"),
        pytest.param("Plus\t€3.90 a month, or €39 a year", "#row", id="a row of a table"),
        pytest.param("Open Account and choose Plans.\nChoose a plan and confirm it.", "#step", id="two steps"),
        pytest.param(LONG, "#long", id="a long passage"),
        pytest.param("Words that have left the page.", "#top", id="words that are gone: the heading"),
    ],
)
def test_a_link_opens_the_page_at_the_quoted_words(
    page: Page, context: BrowserContext, site: Site, words: str, place: str
) -> None:
    site.api.pages["help"] = PAGE
    source = cited(site, words)
    site.api.script[QUESTION] = [*tokens("It costs little [1]."), citations(source), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    for link in (chat.answer.get_by_role("link"), chat.answers.last.locator(".source")):
        expect(link).to_have_attribute("href", source["link"])
        expect(link).to_have_attribute("title", words)
        with context.expect_page() as opened:
            link.click()
        expect(opened.value.locator(place)).to_be_in_viewport()
        opened.value.close()


def test_a_document_that_nobody_can_open_is_named_without_a_link(page: Page, site: Site) -> None:
    named = {"id": 1, "url": "urn:uuid:7#page=3", "title": "Handbook, page 3 (internal document)", "quote": None}
    hostile = {"id": 2, "url": "javascript:alert(1)", "title": "Hostile", "quote": None}
    site.api.script[QUESTION] = [*tokens("It is heavy [1] [2]."), citations(named, hostile), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    cards = chat.answers.last.locator(".source")
    expect(cards.locator(".title")).to_have_text(["Handbook, page 3 (internal document)", "Hostile"])
    expect(cards.first).not_to_have_attribute("href", ANY_VALUE)
    expect(chat.answers.last.get_by_role("link")).to_have_count(0)


def test_a_page_is_listed_once_with_all_its_numbers(page: Page, site: Site) -> None:
    sources = [cited(site, None), cited(site, None, 2, "other", ""), cited(site, "Plus costs more.", 3, anchor="#plus")]
    site.api.script[QUESTION] = [*tokens("It [1] costs [2] little [3]."), citations(*sources), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    cards = chat.answers.last.locator(".source")
    expect(cards).to_have_count(2)
    expect(cards.locator(".number")).to_have_text(["1, 3", "2"])
    expect(chat.answer.get_by_role("link")).to_have_count(3)
    heights = [box["height"] for card in cards.all() if (box := card.bounding_box())]
    assert max(heights) < 44, "a card is one row"


def test_what_a_source_says_beside_the_answer_is_read_without_leaving(page: Page, site: Site) -> None:
    more = f"Plus costs €3.90 a month.\n{LONG}"
    other = "It is paid by card."
    sources = [
        cited(site, "It costs little.") | {"passage": more},
        cited(site, None, 2, anchor="#paying") | {"passage": other},
        cited(site, None, 3, "else", ""),
    ]
    site.api.script[QUESTION] = [
        *tokens("It costs little [1]."),
        citations(*sources),
        done(),
    ]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    answer = chat.answers.last
    passages = answer.locator(".passage")
    expect(passages).to_have_count(0)
    answer.get_by_role("button", name="Sources").click()
    expect(passages).to_have_text([more, other])
    two_lines = height(passages.first)
    assert two_lines < 60
    passages.first.locator("summary").press("Enter")
    assert height(passages.first) > 2 * two_lines
    passages.first.locator("summary").click()
    assert height(passages.first) == two_lines


def height(shown: Locator) -> float:
    box = shown.bounding_box()
    assert box is not None
    return box["height"]

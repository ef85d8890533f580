"""The panel fits large text, small screens, thumbs, forced colours and either direction of reading."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.doubles.scripted_widget_api import Hold, citations, done, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site
from tests.e2e.live_chat import opened

QUESTION = "How long do returns take?"
SOURCE = {"id": 1, "url": "https://shop.example/help", "title": "Returns", "as_of": "2026-03-01"}
ANSWER = [*tokens("You have 30 days [1]. " * 20, size=200), citations(SOURCE), done()]


def font_px(element: Locator) -> float:
    return float(element.evaluate("e => parseFloat(getComputedStyle(e).fontSize)"))


def test_text_follows_the_browsers_size_and_not_the_pages(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = ANSWER
    site.write(head="<style>html { font-size: 62.5% }</style>")
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    assert (font_px(chat.answer), font_px(chat.input)) == (15, 16)
    page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}})
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    assert (font_px(chat.answer), font_px(chat.input)) == (30, 32)
    box = chat.panel.bounding_box()
    assert box is not None
    assert box["width"] == 800
    assert chat.log.evaluate("e => e.scrollWidth - e.clientWidth") == 0


@pytest.mark.parametrize("live_chat", [False, True], ids=["the agent alone", "with people"])
def test_at_four_times_the_size_half_of_the_panel_is_for_the_text(
    browser: Browser, site: Site, live_chat: bool
) -> None:
    site.api.script[QUESTION] = ANSWER
    site.api.agent |= {"live_chat": live_chat}
    page = browser.new_page(viewport={"width": 320, "height": 256}, device_scale_factor=4, reduced_motion="reduce")
    try:
        chat = Chat.opened(page, site)
        chat.ask(QUESTION)
        chat.finish()
        heights = [each.evaluate("e => e.getBoundingClientRect().height") for each in (chat.log, chat.panel)]
        assert heights[0] >= heights[1] / 2
        expect(chat.panel.locator("#disclosure")).to_be_in_viewport(ratio=1)
    finally:
        page.close()


@pytest.mark.parametrize(
    ("lang", "theme", "attributes", "side"),
    [
        pytest.param("en", "right", "", "right", id="left to right"),
        pytest.param("ar", "right", "", "left", id="right to left"),
        pytest.param("ar", "left", "", "right", id="the agent's other side, mirrored"),
        pytest.param("ar", "right", 'data-position="right"', "right", id="as the tag says"),
    ],
)
def test_the_widget_stands_where_reading_ends(
    page: Page, site: Site, lang: str, theme: str, attributes: str, side: str
) -> None:
    site.api.agent |= {"theme": {"position": theme}}
    site.write(lang=lang, attributes=attributes)
    chat = Chat.visit(page, site)
    chat.launcher.click()
    page.locator("docent-widget .greeting").wait_for()
    for each in (chat.panel, chat.launcher):
        box = each.bounding_box()
        assert box is not None
        assert round(box["x"] if side == "left" else 1100 - box["x"] - box["width"]) == 20


@pytest.fixture
def touched(browser: Browser) -> Iterator[Page]:
    """A page of a phone."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    yield context.new_page()
    context.close()


# While the panel rises its boxes are moved by fractions, which costs their sizes the last digits.
SMALL_TARGETS = """() => {
  const root = document.querySelector('docent-widget').shadowRoot;
  const seen = (e) => e.getClientRects().length && getComputedStyle(e).visibility === 'visible';
  const size = (e) => (e.matches('[type=checkbox]') ? e.closest('label') : e).getBoundingClientRect();
  return [...root.querySelectorAll('button, summary, input, textarea, a[href]')]
    .filter((e) => seen(e) && !e.matches('.text a'))
    .filter((e) => size(e).height < 43.99 || size(e).width < 43.99)
    .map((e) => e.outerHTML.slice(0, 90) + ' ' + size(e).width + 'x' + size(e).height);
}"""


def test_whatever_is_touched_has_room_for_a_thumb(touched: Page, site: Site) -> None:
    site.api.script = {
        QUESTION: ANSWER,
        "Unsure?": [*tokens("Perhaps [1]."), citations(SOURCE), done(low_confidence=True)],
    }
    site.api.agent |= {
        "starter_prompts": [QUESTION],
        "live_chat": True,
        "fallback": {"url": "mailto:help@shop.example", "form": True},
    }
    site.api.conversations = [{"id": "c1", "first_question": QUESTION, "last_active_at": "2026-03-01T10:00:00Z"}]
    chat = Chat.opened(touched, site)
    assert touched.evaluate(SMALL_TARGETS) == []
    for question in (QUESTION, "Unsure?"):
        chat.ask(question)
        chat.finish()
    touched.locator("docent-widget summary").click()
    touched.get_by_role("button", name="Not helpful").last.click()
    expect(touched.get_by_label("What was missing?")).to_be_visible()
    assert touched.evaluate(SMALL_TARGETS) == []
    # A number in the text answers to a thumb beside it.
    number = chat.answer.locator(".cite").first
    number.scroll_into_view_if_needed()
    box = number.bounding_box()
    assert box is not None
    hit = "([x, y]) => document.querySelector('docent-widget').shadowRoot.elementFromPoint(x, y).className"
    assert touched.evaluate(hit, [box["x"] + box["width"] / 2, box["y"] + box["height"] + 10]) == "cite"
    touched.get_by_role("button", name="New conversation").click()
    touched.get_by_role("button", name="Your conversations").click()
    touched.locator("docent-widget .entry").wait_for()
    assert touched.evaluate(SMALL_TARGETS) == []


def test_a_live_chat_has_room_for_a_thumb(touched: Page, live_site: Site) -> None:
    live_site.api.agent = {**live_site.api.agent, "live_pictures": True}
    chat = opened(touched, live_site)
    chat.call.click()
    expect(chat.waiting).to_be_visible()
    assert touched.evaluate(SMALL_TARGETS) == []
    live_site.api.person.takes_over()
    live_site.api.person.writes("Hello!")
    expect(chat.said).to_have_text(["Hello!"])
    assert touched.evaluate(SMALL_TARGETS) == []
    live_site.api.person.leaves()
    expect(touched.locator("docent-widget .rating")).to_be_visible()
    assert touched.evaluate(SMALL_TARGETS) == []


def test_focus_is_seen_where_the_system_forces_its_colours(page: Page, site: Site) -> None:
    page.emulate_media(forced_colors="active")
    text = "Yes [1].\n\n| A |\n|---|\n| b |"
    site.api.script[QUESTION] = [*tokens(text), citations(SOURCE), done(low_confidence=True)]
    site.api.agent |= {"starter_prompts": [QUESTION], "live_chat": True, "fallback": {"form": True}}
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    composer = page.locator("docent-widget .composer")
    buttons = [page.get_by_role("button", name=name, exact=True) for name in ("Copy", "Helpful", "Close chat")]
    places = ("a.cite", ".source", "summary", ".table", ".note button")
    others = [page.locator(f"docent-widget {place}") for place in places]
    for element, field in [(composer, chat.input), *((each, each) for each in [*buttons, *others])]:
        box = element.bounding_box()
        assert box is not None
        area: Any = {"x": box["x"] - 4, "y": box["y"] - 4, "width": box["width"] + 8, "height": box["height"] + 8}
        field.focus()
        page.keyboard.press("Shift")
        with_focus = page.screenshot(clip=area)
        page.evaluate("document.activeElement.shadowRoot.activeElement.blur()")
        assert page.screenshot(clip=area) != with_focus


PAINTED = """(e) => {
  const [text, ground] = [getComputedStyle(e), getComputedStyle(e.closest('.avatar, .header'))];
  return [text.color, ground.backgroundColor, text.outlineColor].map((c) => c.match(/\\d+/g).slice(0, 3).map(Number));
}"""


def luminance(colour: list[int]) -> float:
    """As WCAG 2.2 defines it."""
    red, green, blue = ((c / 255 + 0.055) ** 2.4 / 1.055**2.4 if c > 10 else c / 255 / 12.92 for c in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: list[int], other: list[int]) -> float:
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def test_the_header_wears_the_brand_s_colour_and_reads_well_on_it(page: Page, site: Site) -> None:
    page.emulate_media(reduced_motion="reduce")
    Chat.opened(page, site)
    header = page.locator("docent-widget .header")
    close = header.get_by_role("button", name="Close chat")
    close.focus()
    page.keyboard.press("Shift")
    brands = ("#2b59c3", "#ffd400", "#f4efe6", "#0b0b0c", "#e11d48", "#00d084", "#808080")
    for colour, theme in itertools.product(brands, ("light", "dark")):
        page.evaluate("looks => Docent.update(looks)", {"color": colour, "theme": theme})
        worn = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
        name, _, _ = header.locator("h2").evaluate(PAINTED)
        icon, ground, ring = close.evaluate(PAINTED)
        letter, disc, _ = header.locator(".avatar").evaluate(PAINTED)
        assert ground == worn
        assert all(contrast(drawn, worn) >= 4.5 for drawn in (name, icon, ring, disc)), f"{colour}, {theme}"
        assert contrast(letter, disc) >= 4.5, f"{colour}, {theme}"


def test_a_source_s_title_begins_at_its_number_whatever_its_language(page: Page, site: Site) -> None:
    source = {"id": 1, "url": "https://shop.example/help", "title": "Returns", "as_of": "2026-03-01"}
    site.write(lang="he")
    site.api.script["?"] = [*tokens("30 [1]."), citations(source), done()]
    chat = Chat.visit(page, site)
    chat.launcher.click()
    chat.log.locator(".greeting").wait_for()
    field = page.locator("docent-widget textarea")
    field.fill("?")
    field.press("Enter")
    chat.answers.last.locator(".rest button").click()
    title = chat.answers.last.locator(".source .title")
    expect(title).to_have_css("text-align", "right")
    assert title.evaluate("e => getComputedStyle(e).direction") == "ltr"


def test_the_number_of_a_source_is_never_broken(touched: Page, site: Site) -> None:
    """However much of its line is left, which is a little less for each sentence."""
    told = "".join(f"- You have {'i' * letters} days to return it. [1]\n" for letters in range(1, 60))
    site.api.script[QUESTION] = [*tokens(told, size=4000), citations(SOURCE), done()]
    chat = Chat.opened(touched, site)
    chat.ask(QUESTION)
    chat.finish()
    pieces = chat.answer.locator("a.cite").evaluate_all("found => found.map((each) => each.getClientRects().length)")
    assert pieces == [1] * 59


def test_the_button_that_unfolds_sources_stands_beside_the_last_of_them(page: Page, site: Site) -> None:
    long = {**SOURCE, "id": 2, "url": "https://shop.example/long", "title": "Returns of all that we sell " * 5}
    site.api.script[QUESTION] = [*tokens("You have 30 days [1][2]."), citations(SOURCE, long), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    boxes = chat.answers.last.locator(".sources li").evaluate_all(
        "found => found.map((each) => each.getBoundingClientRect()).map((box) => [box.top, box.bottom, box.right])"
    )
    (_, (top, bottom, right), (button_top, button_bottom, _)) = boxes
    assert top <= (button_top + button_bottom) / 2 <= bottom
    chat.answers.last.get_by_role("button", name="Sources").click()
    whole = chat.answers.last.locator(".sources li").nth(1).bounding_box()
    assert whole
    assert whole["x"] + whole["width"] > right, "unfolded it has all the width"


# Lines of text, as far as the log shows them, that the button stands on.
COVERED = """button => {
  const log = button.getRootNode().querySelector('.log');
  const box = button.getBoundingClientRect();
  const seen = log.getBoundingClientRect();
  const walker = document.createTreeWalker(log, NodeFilter.SHOW_TEXT);
  const covered = [];
  while (walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const line of range.getClientRects()) {
      const top = Math.max(line.top, seen.top), bottom = Math.min(line.bottom, seen.bottom);
      const isBeside = line.left >= box.right || line.right <= box.left;
      if (top < bottom && line.width && top < box.bottom && bottom > box.top && !isBeside)
        covered.push(walker.currentNode.data.slice(0, 40));
    }
  }
  return covered;
}"""
DESK = {"viewport": {"width": 1100, "height": 800}}
PHONE = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}
ON_ITS_SIDE = {"viewport": {"width": 667, "height": 375}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("lang", ["en", "ar"])
@pytest.mark.parametrize("screen", [DESK, PHONE, ON_ITS_SIDE], ids=["desk", "phone", "on its side"])
def test_the_button_to_the_end_covers_no_text(browser: Browser, site: Site, screen: dict[str, Any], lang: str) -> None:
    text = {"en": "You have thirty days to send it back. ", "ar": "يمكنك إرجاع أي منتج خلال ثلاثين يوماً. "}[lang]
    site.api.script[QUESTION] = [*tokens(text * 60, size=400), Hold(), *tokens(text * 60, size=400), done()]
    site.write(lang=lang)
    context = browser.new_context(**screen, reduced_motion="reduce")
    try:
        page = context.new_page()
        chat = Chat.visit(page, site)
        chat.launcher.click()
        page.locator("docent-widget .greeting").wait_for()
        field, jump = page.locator("docent-widget textarea"), page.locator("docent-widget .jump button")
        field.fill(QUESTION)
        field.press("Enter")
        for ends in (False, True):
            if ends:
                site.api.release()
                chat.answers.last.locator(".actions").wait_for()
            expect(jump).to_be_visible()
            for _ in range(4):  # at any place in a line
                assert jump.evaluate(COVERED) == []
                chat.log.evaluate("log => log.scrollTop += 5")
    finally:
        context.close()


DIRECTION = "e => getComputedStyle(e).direction"


def test_each_block_of_an_arabic_page_is_read_in_its_own_direction(page: Page, site: Site) -> None:
    arabic, english = "لم أجد إجابة دقيقة. هذا أقرب ما وجدت:", "Can I send a lamp back?"
    site.api.script[english] = [
        *tokens(f"{arabic}\n\n> You have 30 days.\n\n- *Send* it back [1]"),
        citations(SOURCE),
        done(),
    ]
    site.write(lang="ar")
    chat = Chat.visit(page, site)
    chat.launcher.click()
    field = page.locator("docent-widget textarea")
    field.fill(english)
    field.press("Enter")
    chat.answers.last.locator(".actions").wait_for()

    blocks = chat.answers.last.locator(".text > *")
    assert [block.evaluate(DIRECTION) for block in blocks.all()] == ["rtl", "ltr", "ltr"]
    bubble = chat.questions.last
    # The visitor's bubble stands where all of them do, and its question mark at the end of the question.
    assert [bubble.evaluate(DIRECTION), bubble.locator("div").evaluate(DIRECTION)] == ["rtl", "ltr"]

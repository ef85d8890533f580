"""Keyboard, screen reader, small screen, other languages, other themes."""

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.doubles.scripted_widget_api import Hold, citations, done, error, status, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site

AXE = Path(__file__).parents[2] / "widget" / "node_modules" / "axe-core" / "axe.min.js"
QUESTION = "How long do returns take?"
SOURCE = {"id": 1, "url": "https://shop.example/help", "title": "Returns", "as_of": "2026-03-01"}
ANSWER = [
    status("searching"),
    *tokens(
        "## Returns\n\nYou have **30 days** [1].\n\n| A | B |\n|-|-|\n| 1 | 2 |\n\n```\ncode\n```\n\n- see [help](https://shop.example/x)"
        "\n- [x] ~~done~~\n- [ ] open"
    ),
    citations(SOURCE),
    done(),
]


def test_a_conversation_needs_no_mouse(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = ANSWER
    chat = Chat.visit(page, site)
    page.keyboard.press("Tab")
    expect(chat.launcher).to_be_focused()
    page.keyboard.press("Enter")
    expect(chat.input).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    chat.finish()
    expect(chat.input).to_be_focused()
    page.keyboard.press("Shift+Tab")
    if page.get_by_role("button", name="Jump to the end").is_visible():  # where the last row is cut off
        page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Not helpful")).to_be_focused()
    page.keyboard.press("Escape")
    expect(chat.panel).to_be_hidden()
    expect(chat.launcher).to_be_focused()


def test_shift_and_enter_start_a_new_line(page: Page, site: Site) -> None:
    chat = Chat.opened(page, site)
    chat.input.press_sequentially("one")
    height = chat.input.evaluate("e => e.clientHeight")
    chat.input.press("Shift+Enter")
    chat.input.press_sequentially("two")
    expect(chat.input).to_have_value("one\ntwo")
    assert chat.input.evaluate("e => e.clientHeight") > height
    expect(chat.questions).to_have_count(0)


def test_focus_returns_to_the_button_that_opened_the_chat(page: Page, site: Site) -> None:
    site.write(body="<button onclick='Docent.open()'>Help me</button>")
    chat = Chat.visit(page, site)
    own = page.get_by_role("button", name="Help me")
    own.click()
    expect(chat.input).to_be_focused()
    page.keyboard.press("Escape")
    expect(own).to_be_focused()


def test_a_page_that_opens_the_chat_by_itself_does_not_steal_focus(page: Page, site: Site) -> None:
    site.write(attributes='data-open="true"', body="<input autofocus aria-label='Search'>")
    chat = Chat.visit(page, site)
    expect(chat.panel).to_be_visible()
    expect(page.get_by_label("Search")).to_be_focused()


def test_stages_and_whole_answers_are_spoken_but_never_tokens(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [status("searching"), Hold(), *tokens("You have 30 days.", pause_seconds=0.1), done()]
    chat = Chat.opened(page, site)
    page.evaluate(
        """() => {
          const status = document.querySelector('docent-widget').shadowRoot.querySelector('.root > [role=status]');
          window.spoken = [];
          new MutationObserver(() => window.spoken.push(status.textContent)).observe(status, { childList: true });
        }"""
    )
    chat.ask(QUESTION)
    expect(chat.answers.last).to_contain_text("Searching the site")
    site.api.release()
    chat.finish()
    assert page.evaluate("window.spoken") == ["Searching the site", "Writing the answer", "You have 30 days."]
    expect(chat.log).to_have_attribute("aria-live", "off")


def test_reading_further_up_is_not_disturbed_by_new_text(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("word\n\n" * 60, size=300), Hold(), *tokens("more\n\n" * 60, size=300), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answer.locator("p")).to_have_count(60)
    chat.log.evaluate("e => e.scrollTop = 50")
    page.wait_for_timeout(50)
    site.api.release()
    chat.finish()
    assert chat.log.evaluate("e => e.scrollTop") == 50


def test_selected_text_stays_selected_while_more_arrives(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("First part.\n\nSecond"), Hold(), *tokens(" part."), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answer).to_contain_text("Second")
    kept = chat.answer.locator("p").first.element_handle()
    site.api.release()
    chat.finish()
    assert kept is not None
    assert kept.evaluate("e => e.isConnected")


VIOLATIONS = """async () => {
  const { violations } = await axe.run({ include: [['docent-widget']] });
  return violations.map((violation) => [violation.id, violation.nodes.map((node) => node.html)]);
}"""
PHONE = {"width": 390, "height": 844}


DESK = {"width": 1100, "height": 800}
SMALL = {"width": 320, "height": 600}


# Each of four colours by light and by dark; each kind of screen, each direction.
@pytest.mark.parametrize(
    ("viewport", "theme", "lang", "color"),
    [
        (DESK, "light", "en", "#2b59c3"),
        (DESK, "light", "ar", "#ffd400"),
        (PHONE, "light", "en", "#e0e0e0"),
        (PHONE, "light", "en", "#101010"),
        (SMALL, "dark", "de", "#2b59c3"),
        (DESK, "dark", "en", "#ffd400"),
        (DESK, "dark", "en", "#e0e0e0"),
        (SMALL, "dark", "de", "#101010"),
    ],
)
def test_axe_finds_nothing_to_mend(
    browser: Browser, site: Site, viewport: dict[str, int], theme: str, lang: str, color: str
) -> None:
    site.write(lang=lang, attributes=f'data-theme="{theme}" data-color="{color}"')
    site.api.agent = {
        "name": "Ada",
        "theme": {},
        "starter_prompts": [QUESTION, "Broken?", "Unsure?"],
        "fallback": {"url": "mailto:help@shop.example", "form": True},
    }
    site.api.conversations = [{"id": "c1", "first_question": QUESTION, "last_active_at": "2026-03-01T10:00:00Z"}]
    site.api.script = {
        QUESTION: ANSWER,
        "Broken?": [error("internal")],
        "Unsure?": [*tokens("Perhaps."), done(low_confidence=True)],
        "Cut?": [*tokens("> It is long"), citations(SOURCE), done(finish="length")],
    }
    page = browser.new_page(viewport=viewport, reduced_motion="reduce")  # type: ignore[arg-type]
    try:
        page.goto(site.origin)
        page.locator("docent-widget .launcher").click()
        page.get_by_role("button", name=QUESTION).wait_for()
        page.add_script_tag(path=AXE)
        assert page.evaluate(VIOLATIONS) == []
        for count, question in enumerate(site.api.script, start=1):
            field = page.locator("docent-widget .composer textarea")
            field.fill(question)
            field.press("Enter")
            expect(page.locator("docent-widget .turn")).to_have_count(count)
            expect(page.locator("docent-widget .turn .dots")).to_have_count(0)
            expect(page.locator("docent-widget .send")).to_have_attribute("data-running", "false")
        page.locator("docent-widget .unsure").wait_for()
        page.locator("docent-widget summary").click()
        page.locator("docent-widget .cut .chip").wait_for()
        last = page.locator("docent-widget .answer").last
        last.locator(".rest button").click()
        last.locator("[data-focus=down]").click()
        last.locator(".comment input").wait_for()
        assert page.evaluate(VIOLATIONS) == []
        assert page.locator("docent-widget .log").evaluate("e => e.scrollWidth - e.clientWidth") == 0
        page.locator("docent-widget .fresh").click()
        page.locator("docent-widget .header .icon").first.click()
        page.locator("docent-widget .past .entry").wait_for()
        assert page.evaluate(VIOLATIONS) == []
    finally:
        page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_to_mend_while_an_answer_comes_or_cannot(page: Page, site: Site, theme: str) -> None:
    page.emulate_media(reduced_motion="reduce")
    site.write(attributes=f'data-theme="{theme}"')
    site.api.script |= {
        QUESTION: [status("searching"), Hold(), done()],
        "Now?": [*tokens("| A |\n|---|\n| b"), Hold(), done()],
    }
    chat = Chat.opened(page, site)
    page.add_script_tag(path=AXE)
    chat.ask(QUESTION)
    expect(page.locator("docent-widget .turn .dots")).to_have_count(1)
    assert page.evaluate(VIOLATIONS) == []
    chat.stop.click()
    chat.ask("Now?")
    expect(chat.answer).to_contain_text("b")
    assert page.evaluate(VIOLATIONS) == []
    chat.stop.click()
    expect(chat.answers.last).to_contain_text("Stopped")
    page.context.set_offline(True)
    expect(page.locator("docent-widget .notice")).to_contain_text("offline")
    assert page.evaluate(VIOLATIONS) == []
    chat.input.press("Escape")
    assert page.evaluate(VIOLATIONS) == []


def test_a_phone_shows_the_panel_full_screen_and_keeps_focus_inside(browser: Browser, site: Site) -> None:
    context = browser.new_context(
        viewport=PHONE,  # type: ignore[arg-type]
        has_touch=True,
        is_mobile=True,
        reduced_motion="reduce",
    )
    try:
        page = context.new_page()
        chat = Chat.visit(page, site)
        chat.launcher.tap()
        expect(chat.log).to_contain_text("Hello!")
        box = chat.panel.bounding_box()
        assert box is not None
        assert [round(box[side]) for side in ("x", "y", "width", "height")] == [0, 0, *PHONE.values()]
        # No keyboard jumps up: the panel itself has focus, not the field.
        expect(chat.panel).to_be_focused()
        for _ in range(8):
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.localName") == "docent-widget"
    finally:
        context.close()


WIDE = [
    *tokens(
        f"See {'x' * 300} or https://shop.example/{'y' * 200}\n\n"
        f"| {'wide | ' * 12}\n|{'-|' * 12}\n| {'cell | ' * 12}\n\n```\n{'code ' * 60}\n```\n\nThe end.",
        size=200,
    ),
    citations({**SOURCE, "title": "z" * 120}),
    done(low_confidence=True),
]


@pytest.mark.parametrize(
    ("viewport", "pixel_ratio"),
    [
        pytest.param({"width": 320, "height": 640}, 1, id="320 pixels"),
        # A browser's zoom leaves half the CSS pixels, each drawn twice as wide.
        pytest.param({"width": 640, "height": 360}, 2, id="a desk at 200 %"),
        pytest.param({"width": 320, "height": 256}, 4, id="a desk at 400 %"),
    ],
)
def test_nothing_needs_scrolling_sideways(
    browser: Browser, site: Site, viewport: dict[str, int], pixel_ratio: int
) -> None:
    site.write(attributes='data-label="Ask us anything at all"')
    site.api.script[QUESTION] = WIDE
    page = browser.new_page(viewport=viewport, device_scale_factor=pixel_ratio, reduced_motion="reduce")  # type: ignore[arg-type]
    sideways = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    try:
        chat = Chat.visit(page, site)
        expect(chat.launcher).to_be_in_viewport(ratio=1)
        assert page.evaluate(sideways) == 0
        chat.launcher.click()
        chat.ask(QUESTION)
        chat.finish()
        expect(chat.answer).to_contain_text("The end.")
        assert page.evaluate(sideways) == 0
        assert chat.log.evaluate("e => e.scrollWidth - e.clientWidth") == 0
        for reachable in (chat.input, chat.send, page.get_by_role("button", name="Close")):
            expect(reachable).to_be_in_viewport(ratio=1)
    finally:
        page.close()


@pytest.mark.parametrize(
    ("motion", "moves"),
    [pytest.param("reduce", False, id="reduced"), pytest.param("no-preference", True, id="as usual")],
)
def test_nothing_moves_for_a_visitor_who_wants_less_motion(
    page: Page, site: Site, motion: Literal["reduce", "no-preference"], moves: bool
) -> None:
    page.emulate_media(reduced_motion=motion)
    site.api.script[QUESTION] = [status("searching"), Hold(), *tokens("You have 30 days."), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answers.last.locator(".dots")).to_be_visible()
    moving = "() => document.querySelector('docent-widget').shadowRoot.getAnimations().length"
    assert (page.evaluate(moving) > 0) is moves
    site.api.release()
    chat.finish()
    assert chat.log.evaluate("e => e.scrollHeight - e.scrollTop - e.clientHeight") < 2


def test_thirty_messages_of_an_earlier_visit_stand_in_their_order(page: Page, site: Site) -> None:
    def turn(number: int) -> list[dict[str, object]]:
        both = {"turn_id": f"t{number}", "created_at": "2026-03-01T10:00:00Z"}
        return [
            {"id": f"q{number}", "role": "visitor", "text": f"Question {number}?", **both},
            {"id": f"a{number}", "role": "agent", "text": f"Answer {number}.", "citations": [SOURCE], **both},
        ]

    site.api.messages = [message for number in range(15) for message in turn(number)]
    site.api.script[QUESTION] = ANSWER
    chat = Chat.opened(page, site)
    expect(chat.questions).to_have_text([f"You asked: Question {number}?" for number in range(15)])
    expect(chat.answers.locator(".text")).to_have_text([f"Answer {number}." for number in range(15)])
    expect(chat.answers.last).to_be_in_viewport()
    expect(chat.questions.first).not_to_be_in_viewport()
    chat.ask(QUESTION)
    expect(chat.questions).to_have_count(16)
    chat.finish()
    expect(chat.answers.last).to_contain_text("30 days")


def test_a_language_that_cannot_be_fetched_falls_back_to_english(page: Page, site: Site) -> None:
    site.write(lang="de")
    page.route("**/words/de.json", lambda route: route.abort())
    chat = Chat.visit(page, site)
    chat.launcher.click()
    expect(chat.input).to_be_focused()


def test_the_theme_of_the_agent_is_worn(page: Page, site: Site) -> None:
    site.api.agent = {
        "name": "Ada",
        "theme": {"primary_color": "#ffd400", "radius": 4, "position": "left", "launcher_label": "Ask us"},
    }
    chat = Chat.opened(page, site)
    box = chat.panel.bounding_box()
    assert box is not None
    assert box["x"] == 20
    assert chat.panel.evaluate("e => getComputedStyle(e).borderRadius") == "4px"
    page.keyboard.press("Escape")
    expect(chat.launcher).to_have_text("Ask us")
    colors = chat.launcher.evaluate("e => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color]")
    assert colors == ["rgb(255, 212, 0)", "rgb(0, 0, 0)"]
    page.reload()
    # Known from the visit before: no flash of another colour.
    expect(chat.launcher).to_have_text("Ask us")


def test_the_system_s_theme_is_followed(page: Page, site: Site) -> None:
    page.emulate_media(color_scheme="dark")
    chat = Chat.opened(page, site)
    expect(chat.panel).to_have_css("background-color", "rgb(25, 27, 32)")
    page.emulate_media(color_scheme="light")
    expect(chat.panel).to_have_css("background-color", "rgb(255, 255, 255)")


def test_calls_queued_before_loading_are_made(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = ANSWER
    calls = f"['on', 'answer', (answer) => (window.heard = answer)], ['ask', '{QUESTION}']"
    site.write(head=f"<script>(window.Docent = window.Docent || []).push({calls})</script>")
    chat = Chat.visit(page, site)
    chat.finish()
    assert page.evaluate("window.heard.low_confidence") is False


def test_a_page_hears_what_happens(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("Perhaps."), done(low_confidence=True)]
    chat = Chat.visit(page, site)
    page.evaluate(
        """() => {
          window.heard = [];
          for (const name of ['open', 'message', 'answer', 'gap', 'feedback', 'close']) {
            Docent.on(name, () => heard.push(name));
          }
          Docent.ask('How long do returns take?');
        }"""
    )
    chat.finish()
    page.get_by_role("button", name="Helpful", exact=True).click()
    page.evaluate("Docent.close()")
    assert sorted(page.evaluate("window.heard")) == sorted(["open", "message", "answer", "gap", "feedback", "close"])

"""An operator and a visitor write to each other: what is new appears by itself, and what is being written stays."""

import itertools
import re
from uuid import uuid4

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.console.conftest import ServedConsole
from tests.console.test_pages_are_for_everyone import AXE, LOOK, RULES
from tests.web.house import PAGE, SITE


def visitor_calls(page: Page, served: ServedConsole, path: str, **body: str) -> None:
    answer = page.request.post(
        f"{served.base.rstrip('/')}/v1/widget{path}", headers=served.console.rooms.visitor.headers, data=body or None
    )
    assert answer.ok, answer.text()


def chat_taken_over(context: BrowserContext, served: ServedConsole) -> Page:
    """The page of a chat that the visitor has begun anew and the operator has taken."""
    served.sign_in(context)
    page = context.new_page()
    visitor_calls(page, served, "/person/end")
    visitor_calls(page, served, "/person")
    page.goto(f"{served.base.rstrip('/')}/console/live/{served.console.rooms.ids['conversation_id']}")
    page.get_by_role("button", name="Take over").click()
    return page


def test_new_messages_appear_by_themselves_while_one_writes(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    page = context.new_page()
    page.goto(f"{served.base.rstrip('/')}/console/live")
    visitor_calls(page, served, "/person/end")
    visitor_calls(page, served, "/person")
    visitor_calls(page, served, "/person/messages", message_id=str(uuid4()), text="Is anybody there?")
    page.get_by_role("link", name="Is anybody there?").click()
    page.get_by_role("button", name="Take over").click()
    expect(page).to_have_url(re.compile("#write$"))
    page.get_by_label("Your message").fill("I am wri")
    log = page.get_by_role("log")
    visitor_calls(page, served, "/person/messages", message_id=str(uuid4()), text="My lamp is broken.")
    expect(log.get_by_text("My lamp is broken.")).to_have_count(1)
    expect(page.get_by_label("Your message")).to_have_value("I am wri")
    visitor_calls(page, served, "/person/messages", message_id=str(uuid4()), text="It was new.")
    expect(log.get_by_text("It was new.")).to_have_count(1)
    expect(log.get_by_text("My lamp is broken.")).to_have_count(1)
    expect(log.get_by_text("It was new."), "the end of the log is in sight").to_be_in_viewport()
    page.get_by_label("Your message").fill("I am writing.")
    page.get_by_role("button", name="Send").click()
    expect(log.get_by_text("I am writing.")).to_have_count(1)
    visitor_calls(page, served, "/person/end")
    expect(page.locator("#chat-state")).to_contain_text("ended")


def test_a_field_that_was_made_larger_breaks_no_rule_of_the_page(
    context: BrowserContext, served: ServedConsole
) -> None:
    """Its size is in its style, which no script may write as an attribute."""
    page = chat_taken_over(context, served)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.get_by_label("Your message").evaluate("e => { e.style.height = '200px'; e.style.height = ''; }")
    page.get_by_label("Your message").fill("I am here.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("log").get_by_text("I am here.")).to_have_count(1)
    expect(page.get_by_label("Your message")).to_have_value("")
    assert said == []


def test_a_long_history_keeps_to_itself_and_what_is_to_do_stays_near(
    context: BrowserContext, served: ServedConsole
) -> None:
    served.sign_in(context)
    page = context.new_page()
    visitor_calls(page, served, "/person/end")
    visitor_calls(page, served, "/person")
    page.goto(f"{served.base.rstrip('/')}/console/live/{served.console.rooms.ids['conversation_id']}")
    fold = page.locator("details", has_text="Earlier messages")
    fold.evaluate("e => { e.open = true; }")  # as it is where nothing was written yet
    said = fold.get_by_role("group", name="Earlier messages")
    many = "e => { for (let n = 0; n < 80; n++) e.querySelector('ol').append(e.querySelector('li').cloneNode(true)); }"
    said.evaluate(many)
    assert said.evaluate("e => e.scrollHeight > 3 * e.clientHeight")
    expect(said.locator(".bubble").last, "its end is in sight").to_be_in_viewport()
    button = page.get_by_role("button", name="Take over").bounding_box()
    assert button is not None
    assert button["y"] < 2 * 900


def test_that_the_other_side_writes_is_told_both_ways(context: BrowserContext, served: ServedConsole) -> None:
    page = chat_taken_over(context, served)
    with page.expect_request(re.compile("/typing$")) as told:
        page.get_by_label("Your message").press_sequentially("Good day, how")
    assert re.fullmatch("csrf_token=[0-9a-f]+", told.value.post_data or ""), "nothing of what is written"
    expect(page.get_by_label("Your message"), "the page stays").to_have_value("Good day, how")
    seen, spoken = page.locator("#newer", has_text="The visitor is typing"), page.locator("#typing-said")
    expect(seen).to_have_count(0)
    visitor_calls(page, served, "/person/typing")
    expect(seen).to_be_visible()
    expect(spoken).to_have_text("The visitor is typing")
    visitor_calls(page, served, "/person/messages", message_id=str(uuid4()), text="I was writing.")
    expect(page.get_by_role("log").get_by_text("I was writing.")).to_have_count(1)
    expect(seen).to_have_count(0)
    expect(spoken).to_have_text("")


def test_a_note_is_made_beside_the_chat_and_what_is_being_written_stays(
    context: BrowserContext, served: ServedConsole
) -> None:
    page = chat_taken_over(context, served)
    page.get_by_label("Your message").fill("Let me see")
    page.get_by_label("New note").fill("Wants to exchange the lamp.")
    page.get_by_role("button", name="Add note").click()
    notes = page.get_by_role("region", name="Notes")
    expect(notes.get_by_text("Wants to exchange the lamp.")).to_be_visible()
    expect(page.get_by_label("New note")).to_have_value("")
    expect(page.get_by_label("Your message")).to_have_value("Let me see")
    page.get_by_label("Your message").press("Enter")
    expect(page.get_by_role("log").get_by_text("Let me see")).to_have_count(1)
    expect(notes).to_be_visible()


def test_enter_sends_and_the_page_stays(context: BrowserContext, served: ServedConsole) -> None:
    page = chat_taken_over(context, served)
    expect(page).to_have_url(re.compile("#write$"))
    page.evaluate("window.isTheSamePage = true")
    written, log = page.get_by_label("Your message"), page.get_by_role("log")
    written.focus()
    page.keyboard.type("Hello,")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("how can I help?")
    page.keyboard.press("Enter")
    expect(log.get_by_text("how can I help?")).to_have_count(1)
    expect(written).to_have_value("")
    expect(written).to_be_focused()
    page.keyboard.press("Enter")  # nothing is written: nothing is sent
    page.keyboard.type("Are you there?")
    page.keyboard.press("Enter")
    expect(log.get_by_text("Are you there?")).to_have_count(1)
    visitor_calls(page, served, "/person/messages", message_id=str(uuid4()), text="Yes, I am.")
    expect(log.get_by_text("Yes, I am.")).to_have_count(1)
    expect(log.get_by_text("Hello,")).to_have_count(1)
    visitor_calls(page, served, "/person/end")
    written.fill("Too late")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Nobody has taken over this chat")
    expect(page.get_by_label("Your message"), "what was written is kept").to_have_value("Too late")
    assert page.evaluate("window.isTheSamePage")


def test_whoever_has_taken_a_chat_over_writes_at_once(context: BrowserContext, served: ServedConsole) -> None:
    page = chat_taken_over(context, served)
    expect(page.get_by_label("Your message")).to_be_focused()
    page.evaluate("scrollTo(0, 0)")
    expect(page.get_by_role("button", name="Send"), "all of the form is in sight").to_be_in_viewport(ratio=1)
    nothing, hint = (
        page.get_by_text("No new messages."),
        page.get_by_text("Enter sends, Shift+Enter starts a new line."),
    )
    page.goto(page.url.replace("#write", "?after=999#write"))
    expect(page.get_by_label("Your message")).to_be_focused()
    expect(nothing).to_be_visible()
    page.keyboard.type("Hello!")
    for text in ("Hello!", "How can I help?"):
        page.keyboard.press("Enter")
        expect(page.get_by_role("log").get_by_text(text)).to_have_count(1)
        expect(nothing).to_be_hidden()
        expect(hint).to_be_visible()
        page.keyboard.type("How can I help?")


def test_a_wide_window_has_chats_thread_and_visitor_side_by_side(
    context: BrowserContext, served: ServedConsole
) -> None:
    served.sign_in(context)
    page = context.new_page()
    page.set_viewport_size({"width": 1200, "height": 800})
    ids = served.console.rooms.ids
    visitor_calls(page, served, "/person/end")
    page.goto(f"{served.base.rstrip('/')}/console/live/{ids['conversation_id']}")
    pane = page.get_by_role("navigation", name="Live chats")
    waits = pane.get_by_text("Is there room for me?")
    expect(waits).to_have_count(0)
    page.evaluate("window.isTheSamePage = true")
    visitor_calls(page, served, "/person")
    visitor_calls(page, served, "/person/messages", message_id=str(uuid4()), text="Is there room for me?")
    expect(waits, "who asks appears without another page").to_be_visible()
    expect(waits).to_have_attribute("aria-current", "page")
    assert page.evaluate("window.isTheSamePage")
    edges = [page.locator(each).bounding_box() for each in (".pane", "section:has(#messages)", "#notes-card")]
    places = [(box["x"], box["x"] + box["width"]) for box in edges if box]
    assert [end <= start for (_, end), (start, _) in itertools.pairwise(places)] == [True, True]
    page.evaluate(AXE.read_text("utf-8"))
    violations = page.evaluate(LOOK, RULES)
    assert violations == [], "\n".join(violations)
    page.set_viewport_size({"width": 1199, "height": 800})
    expect(pane).to_be_hidden()


def another_visitor_asks(page: Page, served: ServedConsole) -> None:
    widget = f"{served.base.rstrip('/')}/v1/widget"
    init = {"agent_id": str(served.console.house.agent.id), "page_url": PAGE}
    begun = page.request.post(f"{widget}/init", headers={"Origin": SITE}, data=init)
    assert begun.ok, begun.text()
    token = begun.json()["token"]
    asked = page.request.post(f"{widget}/person", headers={"Origin": SITE, "Authorization": f"Bearer {token}"})
    assert asked.ok, asked.text()


def test_from_chat_to_chat_by_keyboard(context: BrowserContext, served: ServedConsole) -> None:
    page = chat_taken_over(context, served)
    another_visitor_asks(page, served)
    message, links = page.get_by_label("Your message"), page.locator("#live a")
    expect(message).to_be_focused()
    page.keyboard.type("jk")
    expect(message, "keys are written while one writes").to_have_value("jk")
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    expect(page).to_have_url(re.compile("/live$"))
    expect(links).to_have_count(2)
    page.keyboard.press("j")
    expect(links.first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/live/"))
    first = page.url
    page.keyboard.press("j")
    page.wait_for_url(lambda url: url != first)
    page.keyboard.press("k")
    page.wait_for_url(first)


def test_the_number_of_those_who_wait_fits_on_a_phone(browser: Browser, served: ServedConsole) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    served.sign_in(context)
    page = context.new_page()
    visitor_calls(page, served, "/person/end")
    visitor_calls(page, served, "/person")
    page.goto(f"{served.base.rstrip('/')}/console/live")
    live = page.get_by_role("link", name=re.compile(r"^Live \d+ waiting$"))
    expect(live, "the menu is closed").to_have_count(0)
    page.get_by_role("button", name="Menu").click()
    expect(live).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.keyboard.press("Escape")
    expect(live).to_have_count(0)
    expect(page.get_by_role("button", name="Menu")).to_be_focused()
    context.close()


def test_a_saved_reply_is_put_in_and_the_page_stays(context: BrowserContext, served: ServedConsole) -> None:
    page = chat_taken_over(context, served)
    expect(page).to_have_url(re.compile("#write$"))
    page.evaluate("window.isTheSamePage = true")
    written = page.get_by_label("Your message")
    written.fill("Good day!")
    page.get_by_label("Saved reply").select_option("Thanks")
    page.get_by_role("button", name="Insert").click()
    expect(written).to_have_value("Good day!\nThank you for writing to Docs.")
    expect(written, "one goes on writing").to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("log").get_by_text("Thank you for writing to Docs.")).to_have_count(1)
    assert page.evaluate("window.isTheSamePage")


def test_a_visitor_who_waits_is_let_go_beside_taking_over(context: BrowserContext, served: ServedConsole) -> None:
    served.sign_in(context)
    page = context.new_page()
    visitor_calls(page, served, "/person/end")
    visitor_calls(page, served, "/person")
    page.goto(f"{served.base.rstrip('/')}/console/live/{served.console.rooms.ids['conversation_id']}")
    take, close = page.get_by_role("button", name="Take over"), page.get_by_role("button", name="Close without")
    assert take.evaluate("e => e.offsetTop") == close.evaluate("e => e.offsetTop")
    close.click()
    expect(page.get_by_role("status").filter(has_text="Handed back")).to_be_visible()
    page.goto(f"{served.base.rstrip('/')}/console/live/{served.console.rooms.ids['conversation_id']}")
    expect(page.locator("#chat-state")).to_contain_text("ended")

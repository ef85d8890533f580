"""What a page may call, and what it hears: `window.Docent`, before the script is there, while it is, and after."""

from playwright.sync_api import ConsoleMessage, Page, expect

from tests.doubles.scripted_widget_api import Hold, Refuse, done, tokens
from tests.e2e.chat import ANY_VALUE, Chat
from tests.e2e.conftest import Site

QUESTION = "How long do returns take?"
ANSWER = [*tokens("You have 30 days."), done()]


def test_a_page_hears_that_calls_are_heard_however_late_it_listens(page: Page, site: Site) -> None:
    queued = "['on', 'ready', () => (window.heard = ['queued'])]"
    site.write(head=f"<script>(window.Docent = window.Docent || []).push({queued})</script>")
    Chat.visit(page, site)
    page.evaluate("void Docent.on('ready', () => window.heard.push('late'))")
    assert page.evaluate("window.heard") == ["queued", "late"]
    assert site.api.calls == []


def test_looks_are_changed_while_the_page_is_there(page: Page, site: Site) -> None:
    chat = Chat.opened(page, site)
    page.evaluate("Docent.update({ color: '#ffd400', position: 'left', theme: 'dark', label: 'Ask us' })")
    expect(chat.panel).to_have_css("background-color", "rgb(25, 27, 32)")
    box = chat.panel.bounding_box()
    assert box is not None
    assert box["x"] == 20
    page.evaluate("Docent.close()")
    expect(chat.launcher).to_have_text("Ask us")
    expect(chat.launcher).to_have_css("background-color", "rgb(255, 212, 0)")
    expect(chat.launcher).to_have_css("color", "rgb(0, 0, 0)")
    page.evaluate("Docent.update({ color: null, label: null, theme: 'auto' })")
    expect(chat.launcher).to_have_text("")
    expect(chat.launcher).to_have_css("background-color", "rgb(43, 89, 195)")


def test_a_website_has_a_launcher_of_its_own(page: Page, site: Site) -> None:
    site.write(
        attributes='data-launcher="none"',
        body='<a href="/contact" data-docent-open><b>Help</b></a>',
        head="<style></style>",
    )
    chat = Chat.visit(page, site)
    expect(chat.launcher).to_be_hidden()
    own = page.get_by_role("link", name="Help")
    own.focus()
    page.keyboard.press("Enter")
    expect(chat.input).to_be_focused()
    assert page.url == f"{site.origin}/"
    page.keyboard.press("Escape")
    expect(own).to_be_focused()
    assert page.evaluate("Docent.isOpen") is False
    page.evaluate("Docent.update({ launcher: 'own' })")
    expect(chat.launcher).to_be_visible()


def test_a_link_of_the_page_asks_its_question(page: Page, site: Site) -> None:
    site.api.script["How do returns work?"] = [*tokens("By post."), done()]
    site.write(body='<a href="/returns" data-docent-ask="How do returns work?"><b>Returns</b></a>' + site.tag("a2"))
    page.goto(site.origin)
    expect(page.locator("docent-widget .launcher")).to_have_count(2)
    page.get_by_role("link", name="Returns").click()
    expect(page.locator("docent-widget .question")).to_have_text(["You asked: How do returns work?"])
    expect(page.locator("docent-widget .text")).to_have_text("By post.")
    assert page.url == f"{site.origin}/"
    [asked] = site.api.calls_to("/messages/stream")
    assert asked.body["message"] == "How do returns work?"
    page.evaluate("document.dispatchEvent(new Event('click', { bubbles: true }))")  # within no element


def test_a_page_learns_whether_its_signature_was_taken(page: Page, site: Site) -> None:
    told = """(user) => {
      const promise = Docent.identify(user);
      window.outcome = 'waiting';
      promise.then(() => (window.outcome = 'taken'), (error) => (window.outcome = error.code));
    }"""
    chat = Chat.visit(page, site)
    page.evaluate(told, {"userId": "ann", "hash": "abc"})
    assert page.evaluate("window.outcome") == "waiting"
    chat.launcher.click()
    page.wait_for_function("window.outcome === 'taken'")
    site.api.refuse_init = Refuse(401, "unauthorized")
    page.evaluate(told, {"userId": "ann", "hash": "wrong"})
    page.wait_for_function("window.outcome === 'unauthorized'")
    page.evaluate("Docent.close()")
    page.evaluate(told, {"userId": "bob", "hash": "abc"})
    page.evaluate("Docent.reset()")
    page.wait_for_function("window.outcome === 'superseded'")


def test_what_is_no_call_or_event_is_named(page: Page, site: Site) -> None:
    said = _said(page)
    site.write(head="<script>(window.Docent = window.Docent || []).push(['show'], ['constructor'])</script>")
    Chat.visit(page, site)
    page.evaluate("void Docent.on('opened', () => {})")
    assert said == [f'Docent: there is no {kind} "{name}".' for kind, name in
                    (("call", "show"), ("call", "constructor"), ("event", "opened"))]  # fmt: skip


def test_what_came_while_the_panel_was_closed_is_counted_to_the_page(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [Hold(), *tokens("You have 30 days."), done()]
    chat = Chat.opened(page, site)
    page.evaluate("window.counts = []; void Docent.on('unread', ({ count }) => counts.push(count))")
    chat.ask(QUESTION)
    page.evaluate("Docent.close()")
    site.api.release()
    page.wait_for_function("window.counts.length === 1")
    page.evaluate("Docent.open()")
    page.wait_for_function("window.counts.length === 2")
    assert page.evaluate("window.counts") == [1, 0]


def test_a_chat_with_a_person_is_told_to_the_page(page: Page, site: Site) -> None:
    site.api.agent |= {"live_chat": True}
    chat = Chat.opened(page, site)
    page.evaluate("window.heard = []; void Docent.on('handover', (detail) => heard.push(detail))")
    chat.panel.get_by_role("button", name="Talk to a person").click()
    expect(chat.panel).to_contain_text("We asked the team.")
    site.api.person.takes_over("Ann")
    expect(chat.panel.locator(".presence")).to_contain_text("Ann")
    chat.panel.get_by_role("button", name="End chat").click()
    page.wait_for_function("window.heard.length === 3")
    assert [(each["state"], each["operator"]) for each in page.evaluate("window.heard")] == [
        ("waiting", None),
        ("talking", "Ann"),
        ("ended", None),
    ]


def test_a_script_inside_of_a_shadow_root_finds_its_tag(page: Page, site: Site) -> None:
    put = """(tag) => {
      const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' });
      const script = root.appendChild(document.createElement('script'));
      script.dataset.agent = 'in-the-shadow';
      script.src = tag;
    }"""
    site.api.pages[""] = "<!doctype html><title>Shop</title><main>Shop</main>"
    page.goto(site.origin)
    page.evaluate(put, f"{site.api_origin}/widget/widget.js")
    chat = Chat(page)
    chat.launcher.click()
    expect(chat.log).to_contain_text("Hello!")
    assert site.api.calls[0].body["agent_id"] == "in-the-shadow"


def test_a_page_goes_on_after_the_widget_is_gone(page: Page, site: Site) -> None:
    said = _said(page)
    site.api.script[QUESTION] = ANSWER
    chat = Chat.opened(page, site)
    page.evaluate("window.before = Docent; Docent.destroy(); before.open(); before.ask('x')")
    expect(page.locator("docent-widget")).to_have_count(0)
    assert said == ["Docent: this widget was destroyed."] * 2
    page.evaluate("Docent.push(['on', 'answer', ({ text }) => (window.answer = text)])")
    page.evaluate(f"Docent.push(['ask', '{QUESTION}'])")
    page.add_script_tag(content=_tag(site))
    chat.finish()
    assert page.evaluate("window.answer") == "You have 30 days."


def _said(page: Page) -> list[str]:
    """What our script writes into the console."""
    said: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.text.startswith("Docent"):
            said.append(message.text)

    page.on("console", hear)
    return said


def _tag(site: Site) -> str:
    return (
        "const script = document.createElement('script'); script.dataset.agent = 'a1';"
        f"script.src = '{site.api_origin}/widget/widget.js'; document.body.append(script);"
    )


def test_two_agents_stand_side_by_side_or_take_turns(page: Page, site: Site) -> None:
    site.write(body=site.tag("a2"))
    page.goto(site.origin)
    panels = page.locator("docent-widget .panel")
    launchers = page.locator("docent-widget .launcher")
    expect(launchers).to_have_count(2)
    with page.expect_response("**/page*.js"):  # what makes room for the first one, before there is a second
        launchers.nth(0).click()
    expect(panels).to_have_count(1)
    expect(panels.get_by_role("textbox")).to_be_visible()
    page.evaluate("Object.values(Docent.agents)[1].open()")
    expect(panels).to_have_count(2)
    expect(panels.nth(1)).to_have_attribute("data-beside", "")
    boxes = [panel.bounding_box() for panel in panels.all()]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[1]["x"] >= 0
    assert boxes[1]["x"] + boxes[1]["width"] <= boxes[0]["x"]
    page.evaluate("Object.values(Docent.agents)[1].close()")
    page.set_viewport_size({"width": 700, "height": 700})
    page.evaluate("Object.values(Docent.agents)[1].open()")
    expect(panels.nth(0)).to_be_hidden()
    expect(panels.nth(1)).not_to_have_attribute("data-beside", ANY_VALUE)

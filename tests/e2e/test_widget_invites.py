"""Invitations beside the closed launcher: by a script of their own, once a visitor, and never in the way."""

from dataclasses import asdict
from typing import Any, Literal
from uuid import UUID

import httpx2
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from app.agents.agent import AgentConfig
from app.agents.pages.embed_tag import embed_tags
from app.agents.widget_settings import Invitation
from tests.doubles.scripted_widget_api import done, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import QUESTION, WIDGET_FILES, Site
from tests.e2e.real_docent import RealDocent
from tests.e2e.test_widget_is_for_everyone import AXE

LONG = "<p>A light shirt for warm days.</p>" * 200
KEPT = "Object.entries(localStorage).filter(([key]) => key.endsWith(':invited'))"


def invitation(name: str = "returns", **more: Any) -> dict[str, Any]:
    return {"name": name, "text": f"About {name}?", "question": None, "pages": [], "after_seconds": 0} | more


def tag(site: Site) -> str:
    return f'<script async src="{site.api_origin}/widget/invite.js" data-agent="a1"></script>'


@pytest.fixture
def invites(site: Site) -> Site:
    """A website whose agent has one that asks a question, and another one."""
    site.api.script[QUESTION] = [*tokens("30 days."), done()]
    site.api.invitations["en"] = [invitation(question=QUESTION), invitation("sizes")]
    site.write(body=tag(site))
    return site


class Bubble:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.box = page.locator("docent-widget .invite")
        self.message = self.box.locator(".say")
        self.close = self.box.locator(".icon")

    @classmethod
    def on(cls, page: Page, site: Site, path: str = "/") -> "Bubble":
        page.goto(site.origin + path)
        return cls(page)

    def stays_away(self, site: Site) -> None:
        """Once all that is due has run: the script is there and has been told what there is, or needs not ask."""
        self.page.wait_for_load_state("networkidle")
        self.page.evaluate("new Promise((resolve) => setTimeout(() => setTimeout(resolve)))")
        expect(self.box).to_have_count(0)


def heard(page: Page) -> list[list[str]]:
    found: list[list[str]] = page.evaluate("heard")
    return found


LISTENS = """<script>
  window.heard = [];
  (window.Docent ??= []).push(["on", "invitation", ({name, act}) => heard.push([name, act])]);
</script>"""


def test_the_first_that_fits_is_shown_and_nothing_of_the_visitor_is_sent(page: Page, invites: Site) -> None:
    invites.write(body=LISTENS + tag(invites))
    bubble = Bubble.on(page, invites)
    expect(bubble.message).to_have_accessible_name(f"About returns? {QUESTION}")
    expect(Chat(page).announcer).to_have_text("About returns?")
    expect(bubble.box).to_have_count(1)
    [call] = invites.api.calls
    assert (call.method, call.path) == ("GET", "/widget/invitations/a1/en.json")
    assert {"cookie", "referer", "authorization"}.isdisjoint(call.headers)
    assert page.evaluate(KEPT) == [["docent:a1:invited", '{"shown":["returns"]}']]
    assert heard(page) == [["returns", "shown"]]


def test_a_tap_asks_its_question(page: Page, invites: Site) -> None:
    invites.write(body=LISTENS + tag(invites))
    chat, bubble = Chat(page), Bubble.on(page, invites)
    bubble.message.click()
    expect(chat.questions).to_contain_text(QUESTION)
    chat.finish()
    expect(chat.answer).to_have_text("30 days.")
    expect(bubble.box).to_have_count(0)
    assert heard(page) == [["returns", "shown"], ["returns", "accepted"]]


def test_without_a_question_a_tap_opens_the_panel(page: Page, invites: Site) -> None:
    invites.api.invitations["en"] = [invitation()]
    chat, bubble = Chat(page), Bubble.on(page, invites)
    bubble.message.click()
    expect(chat.input).to_be_focused()
    expect(chat.questions).to_have_count(0)
    expect(bubble.box).to_have_count(0)


def test_each_is_shown_to_a_visitor_once(page: Page, invites: Site) -> None:
    bubble = Bubble.on(page, invites)
    for shown in ("About returns?", "About sizes?"):
        expect(bubble.message).to_contain_text(shown)
        page.reload()
    bubble.stays_away(invites)


@pytest.mark.parametrize("way", ["button", "Escape", "Escape in the page"])
def test_one_that_is_sent_away_is_the_last_of_the_visit(page: Page, invites: Site, way: str) -> None:
    invites.write(body="<input aria-label=Own>" + LISTENS + tag(invites))
    chat, bubble = Chat(page), Bubble.on(page, invites)
    if way == "button":
        bubble.close.click()
    elif way == "Escape":
        bubble.close.focus()
        page.keyboard.press("Escape")
        expect(chat.launcher).to_be_focused()
    else:
        expect(bubble.box).to_be_visible()
        page.get_by_label("Own").press("Escape")
        expect(page.get_by_label("Own")).to_be_focused()
    expect(bubble.box).to_have_count(0)
    assert heard(page) == [["returns", "shown"], ["returns", "dismissed"]]
    page.reload()
    bubble.stays_away(invites)


def test_none_is_shown_while_the_panel_is_open_or_after_it_was(page: Page, invites: Site) -> None:
    invites.write(attributes='data-open="true"', body=tag(invites))
    chat, bubble = Chat.opened(page, invites), Bubble(page)
    bubble.stays_away(invites)
    chat.panel.press("Escape")
    expect(chat.panel).to_be_hidden()
    bubble.stays_away(invites)
    invites.write(body=tag(invites))
    page.reload()
    chat.launcher.wait_for()
    bubble.stays_away(invites)
    assert page.evaluate(KEPT) == []


def test_a_panel_that_opens_meanwhile_ends_the_wait(page: Page, invites: Site) -> None:
    page.clock.install()
    invites.api.invitations["en"] = [invitation(after_seconds=20)]
    chat, bubble = Chat.visit(page, invites), Bubble(page)
    chat.launcher.click()
    chat.panel.press("Escape")
    expect(chat.panel).to_be_hidden()
    page.clock.run_for(30_000)
    bubble.stays_away(invites)


def test_it_waits_for_its_seconds_and_its_page(page: Page, invites: Site) -> None:
    page.clock.install()
    invites.api.pages["shop/shirt"] = invites.api.pages[""]
    invites.api.invitations["en"] = [invitation(pages=["/shop/*"], after_seconds=20)]
    bubble = Bubble.on(page, invites)
    page.wait_for_load_state("networkidle")
    page.clock.run_for(60_000)
    bubble.stays_away(invites)
    with page.expect_response("**/invitations/**"):
        page.goto(f"{invites.origin}/shop/shirt")
    page.wait_for_load_state("networkidle")
    page.clock.run_for(10_000)  # real time goes on as well, so the rest leaves a slow machine some
    expect(bubble.box).to_have_count(0)
    page.clock.run_for(10_000)
    expect(bubble.message).to_have_text("About returns?")


def test_a_page_that_comes_without_a_load_counts_as_another(page: Page, invites: Site) -> None:
    invites.api.invitations["en"] = [invitation(pages=["/shop/*"])]
    bubble = Bubble.on(page, invites)
    bubble.stays_away(invites)
    page.evaluate("history.pushState({}, '', '/shop/shirt?size=m')")
    expect(bubble.message).to_have_text("About returns?")


@pytest.mark.parametrize(("language", "close"), [("de", "Schließen"), ("ar", "إغلاق")])
def test_it_speaks_as_the_widget_does(page: Page, invites: Site, language: str, close: str) -> None:
    invites.api.invitations[language] = [invitation(text="Noch Fragen?")]
    invites.write(body=tag(invites), lang=language)
    bubble = Bubble.on(page, invites)
    expect(bubble.message).to_have_text("Noch Fragen?")
    expect(bubble.close).to_have_accessible_name(close)
    box = bubble.box.bounding_box()
    assert box
    assert (box["x"] < 100) == (language == "ar"), "on the launcher's side"
    expect(bubble.close).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(page: Page, invites: Site, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    bubble = Bubble.on(page, invites)
    expect(bubble.box).to_be_visible()
    assert bubble.box.evaluate("e => getComputedStyle(e).animationName") == "none"
    page.add_script_tag(path=AXE)
    found = page.evaluate("axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']})")
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found["violations"]] == []


def test_it_needs_no_mouse_and_takes_no_focus(page: Page, invites: Site) -> None:
    invites.write(body="<input autofocus aria-label=Own>" + tag(invites))
    bubble = Bubble.on(page, invites)
    expect(bubble.box).to_be_visible()
    expect(page.get_by_label("Own")).to_be_focused()
    for stop in (bubble.message, bubble.close, Chat(page).launcher):
        page.keyboard.press("Tab")
        expect(stop).to_be_focused()


def test_on_a_phone_it_goes_when_somebody_reads_on(browser: Browser, invites: Site) -> None:
    invites.write(body=LONG + tag(invites))
    for width, height, goes in ((390, 844, True), (1100, 844, False)):
        page = browser.new_page(viewport={"width": width, "height": height})
        bubble = Bubble.on(page, invites)
        expect(bubble.box).to_be_in_viewport(ratio=1)
        for top in (10, 300):
            page.evaluate(
                f"new Promise((done) => {{ onscroll = () => requestAnimationFrame(done); scrollTo(0, {top}) }})"
            )
        expect(bubble.box).to_have_count(1)
        page.evaluate("new Promise((done) => { onscroll = () => requestAnimationFrame(done); scrollTo(0, 900) })")
        expect(bubble.box).to_have_count(0 if goes else 1)
        page.close()


def test_a_browser_that_remembers_nothing_is_not_asked_again_and_again(page: Page, invites: Site) -> None:
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no') } })")
    bubble = Bubble.on(page, invites)
    Chat(page).launcher.wait_for()
    bubble.stays_away(invites)
    assert invites.api.calls == []


def test_what_it_says_is_text_under_a_strict_policy(page: Page, invites: Site) -> None:
    policy = f"default-src 'none'; script-src {invites.api_origin}; connect-src {invites.api_origin}"
    invites.api.page_headers = {"Content-Security-Policy": f"{policy}; require-trusted-types-for 'script'"}
    text = "<img src=x onerror=alert(1)> & <b>returns</b>"
    invites.api.invitations["en"] = [invitation(text=text)]
    expect(Bubble.on(page, invites).message).to_have_text(text)


def test_the_tag_may_stand_anywhere_and_twice(page: Page, invites: Site) -> None:
    invites.write(head=tag(invites), body=tag(invites) + LISTENS)
    bubble = Bubble.on(page, invites)
    expect(bubble.box).to_have_count(1)
    page.wait_for_load_state("networkidle")
    assert heard(page) == [["returns", "shown"]]


def test_without_our_launcher_it_stands_in_its_place(page: Page, invites: Site) -> None:
    def bottom(box: Locator) -> float:
        found = box.bounding_box()
        assert found
        return found["y"] + found["height"]

    page.emulate_media(reduced_motion="reduce")
    bubble = Bubble.on(page, invites)
    launcher = Chat(page).launcher.bounding_box()
    assert launcher
    assert bottom(bubble.box) < launcher["y"]
    invites.write(attributes='data-launcher="none"', body=tag(invites))
    page.reload()
    expect(bubble.box).to_be_visible()
    assert bottom(bubble.box) == launcher["y"] + launcher["height"]


def test_of_two_agents_one_invites_and_covers_no_launcher(page: Page, invites: Site) -> None:
    page.emulate_media(reduced_motion="reduce")
    second = invites.tag("b2") + tag(invites).replace("a1", "b2")
    invites.write(body=tag(invites) + second)
    bubble = Bubble.on(page, invites)
    expect(Chat(page).launcher).to_have_count(2)
    page.wait_for_load_state("networkidle")
    expect(bubble.box).to_have_count(1)
    for launcher in Chat(page).launcher.all():
        launcher.click(trial=True)


def test_none_stands_on_the_open_panel_of_another_agent(page: Page, invites: Site) -> None:
    invites.write(attributes='data-open="true"', body=invites.tag("b2") + tag(invites).replace("a1", "b2"))
    chat, bubble = Chat(page), Bubble.on(page, invites)
    expect(chat.panel).to_be_visible()
    expect(chat.launcher).to_have_count(2)
    bubble.stays_away(invites)


def test_it_goes_when_the_panel_of_another_agent_opens(page: Page, invites: Site) -> None:
    invites.write(body=invites.tag("b2") + tag(invites).replace("a1", "b2"))
    bubble = Bubble.on(page, invites)
    expect(Chat(page).launcher).to_have_count(2)
    expect(bubble.box).to_have_count(1)
    page.evaluate("window.Docent.agents.a1.open()")
    expect(bubble.box).to_have_count(0)


def test_none_is_shown_while_another_tab_has_the_panel_open(page: Page, invites: Site) -> None:
    invites.write()
    Chat.opened(page, invites)
    expect(Chat(page).panel).to_be_visible()
    invites.write(body=tag(invites))
    other = page.context.new_page()
    chat, bubble = Chat(other), Bubble.on(other, invites)
    chat.launcher.wait_for(state="attached")
    bubble.stays_away(invites)


def test_a_website_without_the_tag_gets_none(page: Page, invites: Site) -> None:
    invites.write()
    bubble = Bubble.on(page, invites)
    Chat(page).launcher.wait_for()
    bubble.stays_away(invites)
    assert invites.api.calls == []


def test_a_real_agent_invites_by_the_tags_that_its_operator_copies(page: Page, docent: RealDocent) -> None:
    given = Invitation("warranty", "Broken?", "How long is the warranty?", after_seconds=0)
    live = AgentConfig("Docs", invitations=(given,))
    docent.host.write(embed_tags(docent.base, UUID(docent.agent_id), live, WIDGET_FILES))
    publish(docent, [asdict(given)])
    page.goto(docent.host.origin)
    expect(Bubble(page).message).to_have_accessible_name("Broken? How long is the warranty?")
    publish(docent, [])


def publish(docent: RealDocent, invitations: list[dict[str, Any]]) -> None:
    path, headers = f"/v1/agents/{docent.agent_id}", {"Authorization": f"Bearer {docent.token}"}
    httpx2.patch(f"{docent.base}{path}", json={"invitations": invitations}, headers=headers).raise_for_status()
    docent.client.post(f"{path}/publish")

"""An operator talks to the agent: answers come while they are written, the page stays, and each answer can be looked
into. Without a script the whole answers come with the page."""

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.console.conftest import ServedConsole
from tests.console.test_pages_are_for_everyone import AXE, LOOK, RULES


@pytest.fixture
def path(served: ServedConsole) -> str:
    return f"{served.base.rstrip('/')}/console/agents/{served.console.house.agent.id}/playground"


def ask(page: Page, question: str) -> None:
    page.get_by_role("textbox", name="Question", exact=True).fill(question)
    page.keyboard.press("Enter")


def test_one_talks_on_and_looks_into_each_answer(context: BrowserContext, served: ServedConsole, path: str) -> None:
    served.sign_in(context)
    page = context.new_page()
    page.goto(path)
    page.evaluate("window.isTheSamePage = true")
    log = page.get_by_role("log")
    ask(page, "What does it cost?")
    expect(log.get_by_role("listitem")).to_have_count(2)
    expect(page.get_by_role("textbox", name="Question", exact=True)).to_be_focused()
    expect(page.get_by_role("textbox", name="Question", exact=True)).to_have_value("")
    ask(page, "And what for teams?")
    expect(page.get_by_role("heading", name="Trace of answer 2, draft")).to_be_visible()
    expect(log.get_by_role("listitem")).to_have_count(4)
    page.get_by_role("link", name="Trace of answer 1").click()
    expect(page.get_by_role("heading", name="Trace of answer 1, draft")).to_be_visible()
    expect(page.get_by_role("heading", name="Trace of answer 2, draft")).to_be_hidden()
    page.get_by_label("Version").select_option("Both, side by side")
    ask(page, "Who are you?")
    expect(page.get_by_role("heading", name="Trace of answer 3, published")).to_be_visible()
    expect(page.get_by_label("Version"), "the choice stays").to_have_value("both")
    assert page.evaluate("window.isTheSamePage")
    # Between the parts of what is drawn stand lines that are nobody's.
    spaces = log.locator(".drawn").evaluate_all("all => all.map((each) => getComputedStyle(each).whiteSpaceCollapse)")
    assert set(spaces) == {"collapse"}
    page.evaluate(AXE.read_text("utf-8"))
    violations = page.evaluate(LOOK, RULES)
    assert violations == [], "\n".join(violations)
    page.get_by_role("link", name="New conversation").click()
    expect(log).to_contain_text("Ask something your visitors ask.")


def test_what_is_wrong_is_said_and_the_conversation_stays(
    context: BrowserContext, served: ServedConsole, path: str
) -> None:
    served.sign_in(context)
    page = context.new_page()
    page.goto(path)
    ask(page, "What does it cost?")
    expect(page.get_by_role("log").get_by_role("listitem")).to_have_count(2)
    expect(page.locator("[data-ask]")).not_to_have_attribute("aria-disabled", "true")
    page.get_by_text("Visitor's page and language").click()
    page.get_by_label("Page the visitor is on").fill("nowhere")
    ask(page, "And then?")
    wrong = page.get_by_label("Page the visitor is on")
    expect(wrong).to_be_focused()
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("textbox", name="Question", exact=True)).to_have_value("And then?")
    expect(page.get_by_role("log").get_by_role("listitem")).to_have_count(2)
    wrong.fill("https://www.example.com/pricing")
    ask(page, "And then?")
    expect(page.get_by_role("log").get_by_role("listitem")).to_have_count(4)


def test_what_is_written_while_an_answer_comes_stays(context: BrowserContext, served: ServedConsole, path: str) -> None:
    served.sign_in(context)
    page = context.new_page()
    page.goto(path)
    page.get_by_text("Visitor's page and language").click()
    looked_at = page.get_by_label("Page the visitor is on")

    def answer(route: Route) -> None:
        response = route.fetch()
        looked_at.fill("https://www.example.com/pricing")
        page.get_by_role("textbox", name="Question", exact=True).fill("And then?")
        route.fulfill(response=response)

    page.route("**/playground", answer)
    ask(page, "What does it cost?")
    expect(page.get_by_role("log").get_by_text("What does it cost?")).to_be_visible()
    expect(page.locator("[data-ask]")).not_to_have_attribute("aria-disabled", "true")
    expect(page.get_by_role("textbox", name="Question", exact=True)).to_have_value("And then?")
    expect(looked_at).to_have_value("https://www.example.com/pricing")


def test_a_cut_connection_keeps_the_question(context: BrowserContext, served: ServedConsole, path: str) -> None:
    served.sign_in(context)
    page = context.new_page()
    page.goto(path)
    page.route("**/playground", lambda route: route.abort())
    ask(page, "What does it cost?")
    expect(page.get_by_role("alert")).to_have_text("The connection was lost. Ask again.")
    expect(page.get_by_role("textbox", name="Question", exact=True)).to_have_value("What does it cost?")
    page.unroute("**/playground")
    page.keyboard.press("Enter")
    expect(page.get_by_role("log").get_by_role("listitem")).to_have_count(2)


def test_one_talks_without_scripts(browser: Browser, served: ServedConsole, path: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    served.sign_in(context)
    page = context.new_page()
    page.goto(path)
    for number, question in enumerate(("What does it cost?", "And what for teams?"), start=1):
        page.get_by_role("textbox", name="Question", exact=True).fill(question)
        page.get_by_role("button", name="Ask").click()
        expect(page.get_by_role("log").get_by_role("listitem")).to_have_count(2 * number)
    page.get_by_role("link", name="Trace of answer 1").click()
    expect(page.get_by_role("heading", name="Trace of answer 1, draft")).to_be_visible()
    context.close()

"""What an operator does on a day, from the overview: how many clicks each task takes, without a dead end.

`python -m tests.console.test_operators_day` does each task once and prints its clicks and seconds."""

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Final
from uuid import uuid4

import pytest
import structlog
from playwright.sync_api import BrowserContext, Locator, Page, expect, sync_playwright

from tests.console.conftest import ServedConsole, serving_console
from tests.console.test_live_chat import visitor_calls
from tests.e2e.conftest import ARGUMENTS, CHROMIUM


class Day:
    """Each click counts; what is typed, and keys, do not."""

    def __init__(self, page: Page, served: ServedConsole) -> None:
        self.page = page
        self.served = served
        self.clicks = 0

    def click(self, target: Locator) -> None:
        target.click()
        self.clicks += 1

    def press(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=True))

    def menu(self, name: str) -> None:
        self.click(self.page.get_by_role("navigation", name="Console").get_by_role("link", name=name))

    def hears(self, words: str) -> None:
        expect(self.page.get_by_role("status").filter(has_text=words)).to_be_visible()


@pytest.fixture
def day(context: BrowserContext, served: ServedConsole) -> Day:
    return begun_day(context, served)


def begun_day(context: BrowserContext, served: ServedConsole) -> Day:
    """On the overview, with a visitor who waits."""
    served.sign_in(context)
    page = context.new_page()
    visitor_calls(page, served, "/person/end")
    visitor_calls(page, served, "/person")
    visitor_calls(page, served, "/person/messages", message_id=str(uuid4()), text="My lamp is dark.")
    page.goto(f"{served.base.rstrip('/')}/console")
    return Day(page, served)


def answer_a_visitor(day: Day) -> None:
    day.click(day.page.locator(".attention").get_by_role("link", name="My lamp is dark."))
    day.press("Take over")
    expect(day.page.get_by_label("Your message")).to_be_focused()
    day.page.keyboard.type("I send you a new bulb.")
    day.page.keyboard.press("Enter")
    expect(day.page.get_by_role("log").get_by_text("I send you a new bulb.")).to_be_visible()
    day.press("Hand back to the agent")
    day.hears("Handed back.")


def begin_from_what_the_agent_knows(day: Day) -> None:
    day.click(day.page.locator(".attention").get_by_role("link", name="My lamp is dark."))
    day.press("Take over")
    day.press("Draft from pages")
    expect(day.page.get_by_text("The pages do not answer this.")).to_be_visible()
    expect(day.page.get_by_label("Your message")).to_be_focused()


def close_a_gap_by_an_answer(day: Day) -> None:
    day.menu("Gaps")
    day.click(day.page.locator("main tbody th a").first)
    day.page.get_by_role("textbox", name="Answer", exact=True).fill("It costs 12 euros.")
    day.press("Rehearse")
    expect(day.page.locator("#rehearsal")).to_contain_text("30 days")
    day.press("Save and ask again")
    expect(day.page.get_by_role("heading", name="Before", level=4).first).to_be_visible()


def hand_a_conversation_to_a_colleague(day: Day) -> None:
    day.menu("Conversations")
    day.click(day.page.locator(".inbox-question").first)
    day.page.get_by_label("Assignee").select_option("editor@example.com")
    day.press("Assign")
    day.hears("1 conversation assigned to editor@example.com.")


def ask_a_golden_question(day: Day) -> None:
    day.menu("Golden questions")
    form = day.page.get_by_role("region", name="Add a question")
    form.get_by_role("textbox", name="Question").fill("Do you repair lamps?")
    day.press("Add question")
    day.press("Run all")
    expect(day.page.get_by_role("heading", name="Golden run")).to_be_visible()


def change_the_greeting_and_publish(day: Day) -> None:
    day.page.keyboard.press("Control+k")
    day.page.get_by_role("combobox").fill("greeting")
    expect(day.page.get_by_role("option", selected=True)).to_contain_text("Greeting")
    day.page.keyboard.press("Enter")
    day.page.get_by_label("Greeting").fill(f"Good day {uuid4().hex[:4]}!")
    day.press("Save draft")
    day.click(day.page.get_by_role("link", name="Publish …"))
    day.press("Publish draft")
    day.hears("is live.")


def correct_the_address_of_a_website(day: Day) -> None:
    day.menu("Sources")
    day.click(day.page.get_by_role("link", name="Docs", exact=True).last)
    day.click(day.page.get_by_role("link", name="Settings", exact=True))
    day.page.get_by_label("Address").fill("https://docs.example.com")
    day.press("Save and read")
    expect(day.page.locator("main")).to_contain_text("https://docs.example.com")
    expect(day.page.get_by_role("button", name="Stop")).to_be_visible()


def invite_a_colleague(day: Day) -> None:
    day.click(day.page.get_by_role("navigation", name="Console").get_by_text("Workspace", exact=True))
    day.menu("Operators")
    day.page.get_by_label("E-mail").first.fill(f"{uuid4().hex}@example.com")
    day.press("Invite")
    day.hears("Link sent to")


def see_how_the_week_was(day: Day) -> None:
    day.menu("Reports")
    day.click(day.page.get_by_role("link", name="7 days", exact=True))
    expect(day.page.get_by_text("Answered without a person").first).to_be_visible()


# With the clicks of version 066df21e, where they were counted.
TASKS: Final[tuple[tuple[Callable[[Day], None], int, str], ...]] = (
    (answer_a_visitor, 3, "3"),
    (begin_from_what_the_agent_knows, 3, "not possible"),
    (close_a_gap_by_an_answer, 4, "3 from the list of gaps"),
    (hand_a_conversation_to_a_colleague, 3, "–"),
    (ask_a_golden_question, 3, "3"),
    (change_the_greeting_and_publish, 3, "10 after a refusal"),
    (correct_the_address_of_a_website, 4, "not possible: 4 for a second source"),
    (invite_a_colleague, 3, "–"),
    (see_how_the_week_was, 2, "1, without what happened to gaps"),
)
DOCS: Final = Path(__file__).parents[2] / "docs" / "console.md"


def in_words(task: Callable[[Day], None]) -> str:
    return task.__name__.replace("_", " ")


@pytest.mark.parametrize(
    ("task", "clicks"), [pytest.param(task, clicks, id=in_words(task)) for task, clicks, _ in TASKS]
)
def test_a_task_takes_few_clicks_and_ends(task: Callable[[Day], None], clicks: int, day: Day) -> None:
    task(day)
    assert day.clicks == clicks


def test_the_documentation_has_the_clicks() -> None:
    rows = re.findall(r"^\| ([a-z ]+) \| (\d+) \| (.+) \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    assert rows == [(in_words(task), str(clicks), before) for task, clicks, before in TASKS]


def main() -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    with (
        tempfile.TemporaryDirectory() as folder,
        serving_console(Path(folder)) as served,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for task, _, before in TASKS:
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            day = begun_day(context, served)
            began = perf_counter()
            task(day)
            seconds = perf_counter() - began
            print(f"| {in_words(task)} | {day.clicks} | {before} | {seconds:.0f} s", flush=True)  # noqa: T201
            context.close()
        browser.close()


if __name__ == "__main__":
    main()

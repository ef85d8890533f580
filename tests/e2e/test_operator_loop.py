"""The operator's loop on real processes and in a real browser: what visitors asked in vain is one gap; the operator
writes the answer, or the website does; asking again proves it; and what breaks later opens again."""

import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.e2e.chat import Chat
from tests.e2e.real_docent import OPERATOR, PASSWORD, RealDocent

MAX_CLICKS = 6
_GIVE_UP_SECONDS, _LOOK_SECONDS = 240, 0.2

EARTHQUAKE = ("How strong was the earthquake in Lisbon?", "How strong was the earthquake of Lisbon?")
BICYCLE = ("Do you rent out bicycles?", "Can I rent a bicycle from you?")
TIDE = ("When is high tide in Galway?", "At what time is high tide in Galway?")
CAVE = ("How deep is the deepest cave in Europe?", "How deep is the deepest cave of Europe?")
ANSWER = "No. For earthquakes, ask your national seismic network."


class Operator:
    """At the console; every click counts."""

    def __init__(self, page: Page, docent: RealDocent) -> None:
        self.page = page
        self.base = f"{docent.base}/console"
        self.clicks = 0

    def click(self, target: Locator) -> None:
        target.click()
        self.clicks += 1

    def sign_in(self) -> None:
        self.page.goto(self.base)
        self.page.get_by_label("E-mail").fill(OPERATOR)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.click(self.page.get_by_role("button", name="Sign in"))
        expect(self.page.get_by_role("heading", name="Overview", level=1)).to_be_visible()
        self.click(self.page.get_by_role("navigation", name="Console").get_by_role("link", name="Gaps"))
        expect(self.page.get_by_role("heading", name="Gaps", level=1)).to_be_visible()

    def open_gap(self, questions: tuple[str, ...]) -> None:
        """By whichever wording the list shows."""
        named = re.compile("|".join(map(re.escape, questions)))
        self.click(self.page.get_by_role("row").filter(has_text=named).get_by_role("link"))
        expect(self.page.get_by_role("heading", name=named, level=1)).to_be_visible()

    @property
    def answer(self) -> Locator:
        return self.page.get_by_role("textbox", name="Answer", exact=True)

    def press(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=True))


@pytest.fixture
def operator(context: BrowserContext, docent: RealDocent) -> Operator:
    return Operator(context.new_page(), docent)


@pytest.fixture
def own_site(docent: RealDocent, tmp_path: Path) -> Iterator[Path]:
    """The demonstration site as a folder of this test's own, to which it may add pages."""
    before = docent.demo.root
    with as_file(files("app") / "demo_site") as shipped:
        docent.demo.root = Path(shutil.copytree(shipped, tmp_path / "site"))
    yield Path(str(docent.demo.root))
    docent.demo.root = before


def until(holds: Callable[[], Any]) -> Any:
    """What the call says as soon as it says something."""
    waiting, give_up_at = threading.Event(), time.monotonic() + _GIVE_UP_SECONDS
    while time.monotonic() < give_up_at:
        if found := holds():
            return found
        waiting.wait(_LOOK_SECONDS)
    raise AssertionError(f"it did not come to hold within {_GIVE_UP_SECONDS} s")


def ask(browser: Browser, docent: RealDocent, question: str) -> str:
    """Another visitor opens the widget on the website and asks."""
    context = browser.new_context()
    try:
        chat = Chat.opened(context.new_page(), docent.demo.base)
        chat.ask(question)
        chat.finish()
        return chat.answer.inner_text()
    finally:
        context.close()


def gaps_of(docent: RealDocent, questions: tuple[str, ...]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = docent.client.get(f"/v1/agents/{docent.agent_id}/gaps?limit=200")["items"]
    return [gap for gap in items if gap["question"] in questions]


def asked_in_vain(browser: Browser, docent: RealDocent, questions: tuple[str, ...]) -> dict[str, Any]:
    """Each wording by a visitor of its own; the one gap that they are."""
    for question in questions:
        ask(browser, docent, question)

    def one() -> dict[str, Any] | None:
        found = gaps_of(docent, questions)
        return found[0] if len(found) == 1 and found[0]["count"] == len(questions) else None

    gap: dict[str, Any] = until(one)
    return gap


def say_on_the_website(docent: RealDocent, site: Path, name: str, title: str, text: str) -> None:
    """A page is written, and that page alone is read."""
    folder = site / "help" / name
    folder.mkdir(exist_ok=True)
    (folder / "index.html").write_text(
        f'<!doctype html><html lang="en"><head><title>{title}</title></head>'
        f"<body><main><h1>{title}</h1><p>{text}</p></main></body></html>",
        "utf-8",
    )
    [source, *_] = docent.client.get(f"/v1/agents/{docent.agent_id}/sources")["items"]
    docent.client.post(f"/v1/sources/{source['id']}/sync", {"urls": [f"{docent.demo.base}/help/{name}/"]})
    until(lambda: docent.client.get(f"/v1/sources/{source['id']}")["run"]["state"] == "finished")


def state_of(docent: RealDocent, questions: tuple[str, ...]) -> str:
    [gap] = gaps_of(docent, questions)
    return str(gap["state"])


def test_one_gap_from_two_wordings(browser: Browser, docent: RealDocent, operator: Operator) -> None:
    asked_in_vain(browser, docent, EARTHQUAKE)
    operator.sign_in()
    rows = operator.page.get_by_role("row").filter(has_text="earthquake")
    expect(rows).to_have_count(1)
    expect(rows.get_by_role("cell").nth(1)).to_have_text("2")
    operator.open_gap(EARTHQUAKE)
    for question in EARTHQUAKE:
        expect(operator.page.get_by_role("rowheader", name=question)).to_be_visible()
    expect(operator.page.get_by_text(re.compile("^(Nothing close|Close, but under)"))).to_be_visible()


def test_rehearsal(browser: Browser, docent: RealDocent, operator: Operator) -> None:
    """What the answer would have been given to in the last 30 days, before anything is saved."""
    asked_in_vain(browser, docent, CAVE)
    before = docent.rows("select count(*) from curated_answers")
    operator.sign_in()
    operator.open_gap(CAVE)
    operator.answer.fill("More than 2,200 metres.")
    operator.press("Rehearse")
    card = operator.page.get_by_role("region", name=re.compile("^Rehearsal"))
    expect(card).to_contain_text("It would have answered 2 questions")
    for question in CAVE:
        expect(card.get_by_role("rowheader", name=question)).to_be_visible()
    assert docent.rows("select count(*) from curated_answers") == before
    assert state_of(docent, CAVE) == "open"
    expect(operator.answer).to_have_value("More than 2,200 metres.")


def test_replay_closes(browser: Browser, docent: RealDocent, operator: Operator) -> None:
    """From the sign-in to a gap that is closed with proof, in a few clicks; and the next visitor is answered."""
    if not gaps_of(docent, EARTHQUAKE):
        asked_in_vain(browser, docent, EARTHQUAKE)
    operator.sign_in()
    operator.open_gap(EARTHQUAKE)
    operator.answer.fill(ANSWER)
    operator.press("Rehearse")
    expect(operator.page.get_by_role("region", name=re.compile("^Rehearsal"))).to_be_visible()
    operator.press("Save and ask again")
    proof = operator.page.get_by_role("region", name="Closed: 2 questions are now answered")
    expect(proof.get_by_text(ANSWER)).to_have_count(2)
    assert operator.clicks <= MAX_CLICKS
    assert state_of(docent, EARTHQUAKE) == "answered"
    for question in EARTHQUAKE:
        assert ask(browser, docent, question) == ANSWER


def test_crawl_closes(browser: Browser, docent: RealDocent, operator: Operator, own_site: Path) -> None:
    """The website says it now: the gap is proposed by itself, and asking again closes it."""
    asked_in_vain(browser, docent, BICYCLE)
    say_on_the_website(
        docent,
        own_site,
        "bicycles",
        "Do you rent out bicycles?",
        "Yes, we rent out bicycles. You can rent a bicycle from us in Galway for 12 euros a day, and a bicycle that "
        "you rent comes with a lock.",
    )
    until(lambda: state_of(docent, BICYCLE) == "proposed")
    operator.sign_in()
    operator.click(operator.page.get_by_role("link", name="Proposed to close"))
    operator.open_gap(BICYCLE)
    operator.press("Ask again and close")
    expect(operator.page.get_by_role("region", name=re.compile("^Closed: 2 questions"))).to_be_visible()
    assert operator.clicks <= MAX_CLICKS
    assert state_of(docent, BICYCLE) == "answered"
    assert "12 euros" in ask(browser, docent, BICYCLE[0])


def test_regression_reopens(browser: Browser, docent: RealDocent, operator: Operator, own_site: Path) -> None:
    """What was closed and is asked in vain again is open again, and says why."""
    asked_in_vain(browser, docent, TIDE)
    told = "High tide in Galway is at 9:40. The time of high tide in Galway moves by 50 minutes a day."
    say_on_the_website(docent, own_site, "tides", "When is high tide in Galway?", told)
    until(lambda: state_of(docent, TIDE) == "proposed")
    operator.sign_in()
    operator.page.goto(f"{docent.base}/console/agents/{docent.agent_id}/gaps?state=proposed")
    operator.open_gap(TIDE)
    operator.press("Ask again and close")
    expect(operator.page.get_by_role("region", name=re.compile("^Closed: 2 questions"))).to_be_visible()

    say_on_the_website(docent, own_site, "tides", "Moved", "This part of the website is being written.")
    ask(browser, docent, TIDE[0])
    assert state_of(docent, TIDE) == "open"
    operator.page.reload()
    operator.page.goto(f"{docent.base}/console/agents/{docent.agent_id}/gaps")
    operator.open_gap(TIDE)
    expect(operator.page.get_by_label("Note").last).to_have_value(re.compile("Asked in vain again"))

"""What belongs to an answer takes little room, and nothing moves while a visitor reads."""

import pytest
from playwright.sync_api import Page, expect

from tests.doubles.scripted_widget_api import Hold, citations, done, tokens
from tests.e2e.chat import Chat
from tests.e2e.conftest import Site

QUESTION = "How long do returns take?"
SOURCES = [
    {"id": number, "url": f"https://shop.example/{number}", "title": f"Page {number}", "as_of": "2026-03-01"}
    for number in range(1, 5)
]


def test_sources_stand_in_one_row_and_unfold(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("Yes [1] [2] [3] [4]."), citations(*SOURCES), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    cards = chat.answers.last.locator(".source")
    expect(cards).to_have_count(4)
    assert [card.is_visible() for card in cards.all()] == [True, True, False, False]
    row = chat.answers.last.locator(".sources").bounding_box()
    assert row is not None
    assert row["height"] < 40
    page.get_by_role("button", name="2 more").click()
    assert all(card.is_visible() for card in cards.all())
    expect(cards.nth(2)).to_be_focused()
    expect(cards.last).to_contain_text("as of Mar 1, 2026")
    page.get_by_role("button", name="Helpful", exact=True).click()
    assert all(card.is_visible() for card in cards.all()), "what was unfolded stays so"


def test_one_source_takes_a_line_until_more_of_it_is_asked_for(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("Yes [1]."), citations(SOURCES[0]), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    sources = chat.answers.last.locator(".sources")
    row = sources.bounding_box()
    assert row is not None
    assert row["height"] < 36
    expect(sources.locator(".place")).to_have_count(0)
    more = page.get_by_role("button", name="Sources")
    expect(more).to_have_attribute("aria-expanded", "false")
    more.focus()
    page.keyboard.press("Enter")
    expect(sources.locator(".place")).to_contain_text("as of Mar 1, 2026")
    expect(sources.locator(".source")).to_be_focused()
    expect(more).to_have_count(0)


def test_a_number_is_a_link_as_soon_as_its_source_is_here_and_stays_it(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("Yes [1].\n\nNo."), Hold(), citations(SOURCES[0]), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    text = chat.answer.locator("p").first
    expect(text).to_have_text("Yes. 1")
    expect(chat.answer).to_contain_text("No.")
    before = text.element_handle()
    site.api.release()
    chat.finish()
    expect(chat.answer.locator("a.cite")).to_have_attribute("href", str(SOURCES[0]["url"]))
    assert before is not None
    assert before.evaluate("text => text.isConnected"), "what was there was not drawn anew"


def test_the_mark_that_ends_a_statement_stands_before_its_number(page: Page, site: Site) -> None:
    """A mark after the number's frame would stand alone."""
    site.api.script[QUESTION] = [*tokens("In `a [1].` 30 [1], or 14 days [2]; for **shoes** [1]. See [2] [3]?"), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    expect(chat.answer).to_have_text("In a [1]. 30, [1] or 14 days; [2] for shoes. [1] See [2] [3]?")


def said(turns: int) -> list[dict[str, str]]:
    answer = "You can return anything within **30 days**. " * 30
    both = [{"turn_id": f"t{turn}", "created_at": "2026-03-01T10:00:00Z"} for turn in range(turns)]
    return [
        message
        for turn, told in enumerate(both)
        for message in (
            {"id": f"q{turn}", "role": "visitor", "text": f"Question {turn}?", **told},
            {"id": f"a{turn}", "role": "agent", "text": f"{answer} End {turn}.", **told},
        )
    ]


# After each task that changes the log, and in each frame: how many turns are drawn, which, what is seen of them, and
# how far the end is.
WATCHED = """window.tasks = [];
window.drawings = [];
window.shifts = [];
const heard = (list) => shifts.push(...list.getEntries().map((each) => each.value));
new PerformanceObserver(heard).observe({ type: "layout-shift" });
const look = () => {
  const log = document.querySelector("docent-widget")?.shadowRoot.querySelector(".log");
  const turns = [...(log?.querySelectorAll(".turn") ?? [])];
  const drawn = turns.filter((turn) => turn.querySelector(".text p"));
  const isLast = drawn.every((turn, at) => turn === turns[turns.length - drawn.length + at]);
  const topOf = (each) => each.getBoundingClientRect().top;
  const isFull = drawn.length === turns.length || (drawn.length && topOf(drawn[0]) <= topOf(log));
  return turns.length && {
    drawn: drawn.length,
    isLast,
    isWell: isFull || getComputedStyle(log).visibility === "hidden",
    below: Math.round(log.scrollHeight - log.scrollTop - log.clientHeight),
  };
};
let watched;
const each = () => {
  const log = document.querySelector("docent-widget")?.shadowRoot.querySelector(".log");
  if (log && !watched) {
    watched = new MutationObserver(() => tasks.push(look()));
    watched.observe(log, { childList: true, subtree: true });
  }
  if (look()) drawings.push(look());
  requestAnimationFrame(each);
};
requestAnimationFrame(each);"""


@pytest.mark.parametrize("turns", [1, 3, 40])
def test_a_conversation_is_drawn_from_its_end_in_short_tasks_and_nothing_moves(
    page: Page, site: Site, turns: int
) -> None:
    site.api.at_once = 2 * turns
    site.api.messages = said(turns)
    page.add_init_script(WATCHED)
    chat = Chat.visit(page, site)
    page.evaluate("Docent.open()")
    expect(chat.log.locator(".text p")).to_have_count(turns)
    tasks = [task for task in page.evaluate("tasks") if task]
    assert tasks[0]["drawn"] == 0, "the panel is laid out first"
    assert all(task["isLast"] for task in tasks)
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    frames = page.evaluate("drawings")
    assert frames[-1]["drawn"] == turns
    assert all(frame["isWell"] for frame in frames), "no half of a conversation is seen"
    assert {frame["below"] for frame in frames} == {0}
    assert page.evaluate("shifts") == []
    assert chat.log.locator(".text").evaluate_all(
        "all => all.map((each) => each.textContent.match(/End (\\d+)/)[1])"
    ) == [str(turn) for turn in range(turns)]


def test_a_folded_source_shows_as_much_of_its_title_as_a_line_holds(page: Page, site: Site) -> None:
    titled = [{**source, "title": "Help centre › Returns and refunds"} for source in SOURCES]
    site.api.script[QUESTION] = [*tokens("Yes [1] [2] [3] [4]."), citations(*titled), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    titles = chat.answers.last.locator(".title")
    assert [title.is_visible() for title in titles.all()] == [True, True, False, False]
    hidden_px = titles.evaluate_all("all => all.slice(0, 2).map((each) => each.scrollWidth - each.clientWidth)")
    assert hidden_px == [0, 0]


def test_code_says_its_language_and_is_copied(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("```bash\ndocker compose up\n```\n\nThe end.", 20), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    expect(chat.answer.locator(".bar")).to_contain_text("bash")
    page.get_by_role("button", name="Copy: bash").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "docker compose up"


def test_a_heading_of_a_table_without_words_is_a_cell(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("| | Plus |\n|---|---|\n| Price | 3 € |\n", 200), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    expect(chat.answer.locator("th")).to_have_text(["Plus"])


def test_a_greeting_has_nothing_to_rate(page: Page, site: Site) -> None:
    site.api.script["Hi"] = [*tokens("Hello!"), done(answered_by="small_talk")]
    site.api.script[QUESTION] = [*tokens("Two weeks."), done()]
    chat = Chat.opened(page, site)
    chat.ask("Hi")
    expect(chat.answers.last).to_have_text("Hello!")
    chat.ask(QUESTION)
    chat.finish()
    expect(page.get_by_role("button", name="Helpful", exact=True)).to_have_count(1)


def test_one_answer_at_a_time_is_asked_about_and_no_greeting_nor_doubt(page: Page, site: Site) -> None:
    site.api.script["Hi"] = [*tokens("Hello!"), done(answered_by="small_talk")]
    site.api.script["Unsure?"] = [*tokens("Perhaps."), done(low_confidence=True)]
    site.api.script[QUESTION] = [*tokens("Two weeks."), done()]
    asks = page.get_by_text("Did this solve it?").filter(visible=True)
    chat = Chat.opened(page, site)
    for question, answer, times in (("Hi", "Hello!", 0), (QUESTION, "Two weeks.", 1), ("Unsure?", "Perhaps.", 0)):
        chat.ask(question)
        expect(chat.answers.last).to_contain_text(answer)
        expect(page.get_by_role("button", name="Stop answering")).to_have_count(0)
        expect(asks).to_have_count(times)
    chat.ask(QUESTION)
    expect(asks).to_have_count(1)


def test_numbers_of_a_table_end_together(page: Page, site: Site) -> None:
    table = "| What | Costs |\n|---|---|\n| Plus | 3.90 € |\n| Two lamps | 1,200.00 € |\n| Basic | free of charge |\n"
    site.api.script[QUESTION] = [*tokens(table, 200), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    aligned = chat.answer.locator("td").evaluate_all("cells => cells.map((cell) => getComputedStyle(cell).textAlign)")
    assert aligned == ["start", "end"] * 3


def test_doubt_is_a_plain_sentence_and_is_not_said_twice(page: Page, site: Site) -> None:
    site.api.script |= {
        QUESTION: [*tokens("Perhaps."), done(low_confidence=True)],
        "None?": [*tokens("I could not find that."), done(low_confidence=True, answered_by="fallback")],
    }
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    doubt = chat.answers.last.locator(".doubt")
    expect(doubt).to_have_text("I am not sure about this.")
    same = "e => ['color', 'fontSize', 'backgroundColor', 'border', 'padding'].map((name) => getComputedStyle(e)[name])"
    assert doubt.evaluate(same) == chat.answer.evaluate(same)
    chat.ask("None?")
    expect(chat.questions).to_have_count(2)
    chat.finish()
    expect(chat.answers.last.locator(".doubt")).to_have_count(0)


def test_nothing_jumps_while_a_visitor_reads(page: Page, site: Site) -> None:
    """By the browser's own measure, which leaves out what a visitor's act has moved: here it is the page that asks."""
    site.write(body="<p>A light shirt for warm days.</p>" * 30)
    page_of_sources = [{"id": at, "url": f"https://shop.example/{at}", "title": f"Help {at}"} for at in (1, 2, 3, 4)]
    answer = "A line of it [1].\n\n" * 20
    site.api.script[QUESTION] = [*tokens(answer), Hold(), citations(*page_of_sources), done()]
    chat = Chat.visit(page, site)
    page.evaluate("Docent.open()")
    expect(chat.log.locator(".greeting")).to_be_visible()
    drawn = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
    page.evaluate(drawn)
    page.evaluate("""() => {
        globalThis.shifts = [];
        new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({ type: "layout-shift" });
    }""")
    page.evaluate("question => Docent.ask(question)", QUESTION)
    expect(chat.answer).to_contain_text("A line of it")
    site.api.release()
    chat.finish()
    page.evaluate(drawn)
    assert page.evaluate("shifts.map((each) => each.value)") == []


def test_tasks_have_boxes_and_what_is_struck_out_is_crossed(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [*tokens("- [x] Pack it\n- [ ] Send it\n\n~~9~~ 4 euros, ~5 days"), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    expect(chat.answer.get_by_role("img")).to_have_count(2)
    expect(chat.answer.get_by_role("img", name="☑")).to_be_visible()
    expect(chat.answer.get_by_role("listitem")).to_have_text(["Pack it", "Send it"])
    expect(chat.answer.locator("del")).to_have_text("9")
    expect(chat.answer).to_contain_text("~5 days")


def test_a_column_of_numbers_stands_at_the_right_with_its_heading(page: Page, site: Site) -> None:
    rows = "| Country | Fee |\n|---|---|\n| Germany | free |\n| Elsewhere | 4.90 € |"
    site.api.script[QUESTION] = [*tokens(rows, size=200), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    sides = chat.answer.locator("tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => getComputedStyle(cell).textAlign))"
    )
    assert sides == [["start", "end"]] * 3


def test_one_number_among_words_does_not_leave_its_column(page: Page, site: Site) -> None:
    rows = "| Name | Default |\n|---|---|\n| from | today |\n| step | hourly |\n| limit | 500 |\n| cursor | none |"
    site.api.script[QUESTION] = [*tokens(rows, size=200), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    sides = chat.answer.locator("td").evaluate_all("cells => cells.map((cell) => getComputedStyle(cell).textAlign)")
    assert set(sides) == {"start"}


def test_the_number_of_a_source_never_begins_a_line(page: Page, site: Site) -> None:
    site.api.script[QUESTION] = [
        *tokens("See also what it takes [1]. " * 40, size=200),
        citations({"id": 1, "url": "https://shop.example/help", "title": "Help"}),
        done(),
    ]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    begun = """numbers => numbers.map((number) => {
        const before = document.createRange();
        before.setStart(number.previousSibling, number.previousSibling.length - 2);
        before.setEnd(number.previousSibling, number.previousSibling.length - 1);
        return number.getBoundingClientRect().top - before.getBoundingClientRect().bottom;
    })"""
    below = chat.answer.locator(".cite").evaluate_all(begun)
    assert len(below) == 40
    assert max(below) < 0, "beside the letter before it"


def test_where_a_source_is_stands_below_its_title_however_many_numbers_it_has(page: Page, site: Site) -> None:
    page_url = "https://shop.example/help"
    sources = [{"id": at, "url": page_url, "title": "Help", "as_of": "2026-03-01"} for at in (1, 2, 3)]
    site.api.script[QUESTION] = [*tokens("Yes [1] [2] [3].", size=20), citations(*sources), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    page.get_by_role("button", name="Sources").click()
    source = chat.panel.locator(".source")
    expect(source.locator(".place")).to_have_text("shop.example · as of Mar 1, 2026")
    title, place = source.locator(".title").bounding_box(), source.locator(".place").bounding_box()
    assert title is not None
    assert place is not None
    assert abs(title["x"] - place["x"]) < 1
    assert place["y"] > title["y"]


def test_an_unfolded_source_shows_its_whole_title_above_its_place(page: Page, site: Site) -> None:
    title = "Exchange an item that you have ordered for another size, colour or for an item of the same price"
    source = {"id": 1, "url": "https://shop.example/help", "title": title, "as_of": "2026-03-01"}
    site.api.script[QUESTION] = [*tokens("Yes [1].", size=20), citations(source), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    page.get_by_role("button", name="Sources").click()
    expect(chat.panel.locator(".place")).to_be_visible()
    shown = chat.panel.locator(".source .title")
    assert shown.evaluate("e => e.scrollWidth - e.clientWidth") == 0
    tops = chat.panel.locator(".source span").evaluate_all("all => all.map((e) => e.getBoundingClientRect().top)")
    assert tops[1] < tops[2]


def test_two_sections_of_a_page_are_one_source_by_its_title(page: Page, site: Site) -> None:
    one = {"id": 1, "url": "https://shop.example/lamps#glance", "title": "Lamps › At a glance", "as_of": None}
    two = {"id": 2, "url": "https://shop.example/lamps#limits", "title": "Lamps › Limits", "as_of": None}
    alone = {"id": 3, "url": "https://shop.example/care#glass", "title": "Care › Glass", "as_of": None}
    site.api.script[QUESTION] = [*tokens("Dim it [1]. Or not [2]. Wipe it [3]."), citations(one, two, alone), done()]
    chat = Chat.opened(page, site)
    chat.ask(QUESTION)
    chat.finish()
    expect(chat.answers.last.locator(".source .title")).to_have_text(["Lamps", "Care › Glass"])

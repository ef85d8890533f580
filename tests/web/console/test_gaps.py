"""Gaps at the console: what is shown of them, what is done with them, and what hostile visitors' words become."""

import re
from html import escape
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.answers.answer_drafter import Suggestion, SuggestionState
from app.answers.curated.records import CuratedAnswerRecords
from app.conversations.records.turns import TurnRecords
from app.core.errors import InvalidInput, ModelUnavailable, RateLimited
from app.core.turn import AnsweredBy, Finish, GapReason, TurnEnd, TurnRequest, TurnState
from app.gaps.gaps import Gaps
from app.gaps.records.gaps import GapRecords
from app.sources import kinds
from app.sources.source import SourceConfig
from app.sources.sources import Sources
from app.store.tables.gaps import GAPS
from app.workspaces.operator import Role
from tests.web.console.browser import an_operator, text_of
from tests.web.console.page_examples import OpenConsole
from tests.web.house import PAGE, House

HOSTILE = "<script>alert(1)</script> \"'><img src=x onerror=alert(2)> {{7*7}} \u202e"


async def asked_in_vain(
    house: House,
    question: str,
    answer: str = "No idea.",
    reason: GapReason = GapReason.LOW_CONFIDENCE,
    *,
    found: str = "",
    title: str = "",
    sure: tuple[float, ...] = (0.3,),
) -> UUID:
    """What search had found are pages of that URL and title, that sure of. Return the gap's id."""
    visitor, turn_id = await house.visitor(), uuid4()
    await visitor.ask(turn_id)
    session = house.turns.asked[-1][0]
    page = {"url": found or f"{PAGE}?q={question}", "title": title or question, "cosine": 0.5, "bm25": 1.5}
    trace = {"ranked": [{**page, "calibrated": confidence} for confidence in sure]}
    with house.record.writing() as tx:
        TurnRecords(tx).begin(session, TurnRequest(turn_id, question, PAGE), 1, "tests")
        TurnRecords(tx).finish(
            turn_id,
            TurnEnd(TurnState.DONE, answer, AnsweredBy.FALLBACK, 0.3, True, Finish.COMPLETE, gap=reason, trace=trace),
        )
    gaps = await house.parts.get(Gaps).all_of_agent(house.actor, house.agent.id, None)
    return max(gaps, key=lambda gap: gap.last_seen).id if len(gaps) > 1 else gaps[0].id


def gaps_path(house: House) -> str:
    return f"/console/agents/{house.agent.id}/gaps"


async def test_what_visitors_wrote_is_text_wherever_it_stands(house: House) -> None:
    gap = await asked_in_vain(house, HOSTILE, HOSTILE)
    browser = await an_operator(house)
    path = f"{gaps_path(house)}/{gap}"
    about = await browser.post(f"{path}/about", {"note": HOSTILE})
    assert about.status_code == 303
    replayed = await browser.post(f"{path}/replay")
    rehearsed = await browser.post(f"{path}/rehearse", {"trigger": "any_of", "pattern": HOSTILE, "answer": HOSTILE})
    pages = [await browser.page(path), await browser.page(gaps_path(house)), replayed.text, rehearsed.text]
    pages.append(await browser.page(f"{gaps_path(house)}?text=%3Cscript%3E"))
    for text in pages:
        assert "<script>alert" not in text
        assert "<img" not in text
        assert escape(HOSTILE, quote=False)[:20] in text


async def test_tabs_count_what_is_behind_them_and_days_narrow_it(house: House) -> None:
    await asked_in_vain(house, "Do you ship to Malta?")
    old = await asked_in_vain(house, "Can I pay by invoice?")
    house.clock.advance(20 * 24 * 3600)
    await asked_in_vain(house, "Is there a discount?")
    browser = await an_operator(house)
    await browser.post(f"{gaps_path(house)}/{old}/ignore", {"reason": "not ours"})
    shown = text_of(await browser.page(gaps_path(house)))
    assert "Open 2 Proposed to close 0 Answered 0 Closed without proof 0 Ignored 1" in shown
    week = await browser.page(f"{gaps_path(house)}?days=7")
    assert "Open 1 Proposed to close 0 Answered 0 Closed without proof 0 Ignored 0" in text_of(week)
    assert "Is there a discount?" in week
    assert "Do you ship to Malta?" not in week
    assert "days=7" in re.findall(r'href="([^"]+)">Ignored', week)[0]
    assert "Do you ship to Malta?" in await browser.page(f"{gaps_path(house)}?days=30")
    assert (await browser.get(f"{gaps_path(house)}?days=8")).status_code == 422
    file = (await browser.get(f"{gaps_path(house)}/export?days=7&format=json")).json()
    assert [each["question"] for each in file] == ["Is there a discount?"]


async def test_a_gap_says_what_was_found_and_why_it_fell_short(house: House) -> None:
    gap = await asked_in_vain(house, "Do you ship to Malta?")
    text = text_of(await (await an_operator(house)).page(f"{gaps_path(house)}/{gap}"))
    assert "Page gone: the page that was found best is no longer known." in text
    assert "30% 0.5 1.5" in text
    assert "Asked 1 Visitors 1 Impact 2" in text


async def test_a_closed_gap_leads_to_the_next_that_weighs_most(house: House) -> None:
    rare = await asked_in_vain(house, "Is there a discount?")
    first = await asked_in_vain(house, "Do you ship to Malta?")
    for _ in range(2):
        often = await asked_in_vain(house, "Can I pay by invoice?")
    browser = await an_operator(house)
    path = f"{gaps_path(house)}/{first}"
    assert "Next open gap" not in await browser.page(path)
    await browser.post(f"{path}/close", {"reason": "told them"})
    shown = await browser.page(path)
    assert f'href="{gaps_path(house)}/{often}"' in shown.partition("Next open gap")[0]
    for gap in (often, rare):
        await browser.post(f"{gaps_path(house)}/{gap}/close", {"reason": "told them"})
    assert "Next open gap" not in await browser.page(path)


async def test_what_was_stopped_and_rephrased_says_so_everywhere(house: House) -> None:
    gap = await asked_in_vain(house, "Do you ship to Malta?", reason=GapReason.REPHRASED)
    browser = await an_operator(house)
    for path in (gaps_path(house), f"{gaps_path(house)}?reason=rephrased", f"{gaps_path(house)}/{gap}"):
        assert "stopped and rephrased" in text_of(await browser.page(path))
    api = f"/v1/agents/{house.agent.id}/gaps"
    [listed] = (await house.api("GET", f"{api}?reason=rephrased")).json()["items"]
    assert listed["reason"] == "rephrased"
    assert ",rephrased," in (await house.api("GET", f"{api}/export")).text
    assert (await house.api("GET", f"/v1/gaps/{gap}")).json()["samples"][0]["reason"] == "rephrased"


async def test_a_rehearsal_saves_nothing_and_keeps_what_was_typed(house: House) -> None:
    gap = await asked_in_vain(house, "Do you ship to Malta?")
    browser = await an_operator(house)
    fields = {"trigger": "phrase", "pattern": "ship to malta", "answer": "Yes, we do."}
    response = await browser.post(f"{gaps_path(house)}/{gap}/rehearse", fields)
    assert response.status_code == 200
    assert "It would have answered 1 question of 1" in text_of(response.text)
    assert "Yes, we do.</textarea>" in response.text
    assert "ship to malta</textarea>" in response.text
    assert 'name="note"' not in response.text.partition("Write an answer")[2].partition("</form>")[0], (
        "it has one below"
    )
    with house.record.reading() as tx:
        assert CuratedAnswerRecords(tx).answers(house.agent.id) == []


async def test_a_draft_comes_back_in_the_form_and_is_saved_by_nobody(house: House) -> None:
    gap = await asked_in_vain(house, "What is the price?")
    browser = await an_operator(house)
    path = f"{gaps_path(house)}/{gap}"
    assert "Draft from pages" in await browser.page(path)
    response = await browser.post(f"{path}/suggest", {"trigger": "phrase", "pattern": "price"})
    assert "It costs 12 euros a month.</textarea>" in response.text
    assert "price</textarea>" in response.text
    assert "Draft based on the pages below." in text_of(response.text)
    assert "Pricing https://www.example.com/pricing#monthly" in text_of(response.text)
    with house.record.reading() as tx:
        assert CuratedAnswerRecords(tx).answers(house.agent.id) == []


async def test_what_was_typed_before_a_draft_stays_above_it(house: House) -> None:
    gap = await asked_in_vain(house, "What is the price?")
    response = await (await an_operator(house)).post(f"{gaps_path(house)}/{gap}/suggest", {"answer": "Well: "})
    assert "Well:\n\nIt costs 12 euros a month.</textarea>" in response.text


async def test_what_the_pages_do_not_say_is_said_to_be_so(house: House) -> None:
    gap = await asked_in_vain(house, "What is the price?")
    house.drafts.says = Suggestion(SuggestionState.NOT_SAID)
    response = await (await an_operator(house)).post(f"{gaps_path(house)}/{gap}/suggest", {"answer": "Hm."})
    assert "Your pages do not answer this, so there is no draft." in text_of(response.text)
    assert "Hm.</textarea>" in response.text


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        (RateLimited("The agent's daily_tokens are used up.", 60), "The agent's daily_tokens are used up."),
        (ModelUnavailable("10.0.0.7 is down"), "The chat model is down."),
        (InvalidInput("", "No chat model is set."), "No chat model is set."),
    ],
)
async def test_a_draft_that_cannot_be_had_says_why_and_keeps_the_form(
    house: House, refusal: Exception, said: str
) -> None:
    gap = await asked_in_vain(house, "What is the price?")
    house.drafts.says = refusal
    response = await (await an_operator(house)).post(f"{gaps_path(house)}/{gap}/suggest", {"answer": "Hm."})
    assert said in text_of(response.text)
    assert "10.0.0.7" not in response.text
    assert "Hm.</textarea>" in response.text


async def test_a_draft_over_the_api(house: House) -> None:
    gap = await asked_in_vain(house, "What is the price?")
    told = (await house.api("POST", f"/v1/gaps/{gap}/suggestion")).json()
    assert told == {
        "state": "drafted",
        "text": "It costs 12 euros a month.",
        "sources": [{"url": "https://www.example.com/pricing#monthly", "title": "Pricing", "as_of": None}],
    }
    house.drafts.says = RateLimited("The agent's daily_tokens are used up.", 60)
    spent = await house.api("POST", f"/v1/gaps/{gap}/suggestion")
    assert (spent.status_code, spent.headers["retry-after"]) == (429, "60")


async def test_an_answer_closes_the_gap_and_sent_twice_is_one_answer(house: House) -> None:
    gap = await asked_in_vain(house, "Do you ship to Malta?")
    browser = await an_operator(house)
    fields = {"trigger": "phrase", "pattern": "ship to malta", "answer": "Yes, we do."}
    for _ in range(2):
        response = await browser.post(f"{gaps_path(house)}/{gap}/answer", fields)
        assert "Closed: 1 question is now answered" in text_of(response.text)
    with house.record.reading() as tx:
        [answer] = CuratedAnswerRecords(tx).answers(house.agent.id)
        assert answer.answer == "Yes, we do."
        assert GapRecords(tx).gap(house.actor.workspace_id, gap).state.value == "answered"


async def test_an_answer_that_does_not_fit_closes_nothing_and_says_so(house: House) -> None:
    gap = await asked_in_vain(house, "Do you ship to Malta?")
    browser = await an_operator(house)
    fields = {"trigger": "exact", "pattern": "Something else", "answer": "Yes."}
    response = await browser.post(f"{gaps_path(house)}/{gap}/answer", fields)
    text = text_of(response.text)
    assert "Not closed: some questions are still not answered" in text
    assert "still open" in text


async def test_what_is_wrong_stands_beside_its_field_with_the_input_kept(house: House) -> None:
    gap = await asked_in_vain(house, "Do you ship to Malta?")
    browser = await an_operator(house)
    for verb in ("answer", "rehearse"):
        fields = {"trigger": "regex", "pattern": "(", "answer": "Yes, we do."}
        response = await browser.post(f"{gaps_path(house)}/{gap}/{verb}", fields)
        assert response.status_code == 422
        assert re.search(r'id="\w+-pattern-wrong">[^<]', response.text)
        assert "Yes, we do.</textarea>" in response.text


async def test_many_are_ignored_with_a_reason_or_none(console: OpenConsole) -> None:
    browser, path = console.editor, gaps_path(console.house)
    gap = str(console.rooms.ids["gap_id"])
    refused: tuple[tuple[dict[str, str | list[str]], str], ...] = (
        ({"gap_ids": [gap]}, "This cannot be empty"),
        ({"note": "not ours"}, "Choose 1 to 100 gaps"),
        ({"gap_ids": ["x"], "note": "not ours"}, "no longer exists"),
    )
    for fields, told in refused:
        response = await browser.post(f"{path}/ignore", fields)
        assert (response.status_code, told in text_of(response.text)) == (422, True), told
    response = await browser.post(f"{path}/ignore", {"gap_ids": [gap], "note": "not ours"})
    assert await browser.flash(response) == "1 ignored."
    assert "not ours" in text_of(await browser.page(f"{path}?state=ignored"))


async def test_what_was_ignored_at_once_is_taken_back_at_once(console: OpenConsole) -> None:
    browser, path = console.editor, gaps_path(console.house)
    gap = str(console.rooms.ids["gap_id"])
    await browser.post(f"{path}/{gap}/about", {"assignee": "", "note": "ask the warehouse"})
    ignored = await browser.post(f"{path}/ignore", {"gap_ids": [gap], "note": "not ours"})
    shown = await browser.page(ignored.headers["location"])
    assert "ask the warehouse not ours" in text_of(await browser.page(f"{path}?state=ignored"))
    [form] = re.findall(r'<form method="post" action="[^"]+/take-back".*?</form>', shown, re.DOTALL)
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
    assert fields == {"csrf_token": fields["csrf_token"], "state": "open", "note": "not ours", "gap_ids": gap}
    assert await browser.flash(await browser.post(f"{path}/take-back", fields)) == "1 restored."
    found = (await console.house.api("GET", f"/v1/gaps/{gap}")).json()
    assert (found["state"], found["note"]) == ("open", "ask the warehouse")
    assert await browser.flash(await browser.post(f"{path}/take-back", fields)) == "0 restored."


async def test_taking_back_is_no_reopening(console: OpenConsole) -> None:
    browser, path = console.editor, gaps_path(console.house)
    fields = {"gap_ids": str(console.rooms.ids["gap_id"]), "note": "not ours"}
    await browser.post(f"{path}/ignore", fields)
    await browser.post(f"{path}/take-back", fields)
    with console.house.record.reading() as tx:
        moments = tx.connection.execute(select(GAPS.c.reopened_at).where(GAPS.c.agent_id == console.house.agent.id))
        assert set(moments.scalars()) == {None}


async def test_a_gap_is_found_under_its_own_agent_alone(console: OpenConsole) -> None:
    house = console.house
    other = await house.parts.get(Agents).create(house.actor, AgentConfig(name="Shop"))
    gap = console.rooms.ids["gap_id"]
    for path, fields in (("", None), ("/reopen", {}), ("/about", {"note": "x"}), ("/prove", {})):
        where = f"/console/agents/{other.id}/gaps/{gap}{path}"
        response = await (console.admin.get(where) if fields is None else console.admin.post(where, fields))
        assert response.status_code == 404, path


async def test_a_viewer_reads_and_is_offered_nothing_to_change(console: OpenConsole) -> None:
    text = await console.viewer.page(f"{gaps_path(console.house)}/{console.rooms.ids['gap_id']}")
    assert re.findall(r'<form method="post" action="([^"]+)"', text) == ["/console/sign-out"]
    listed = await console.viewer.page(gaps_path(console.house))
    assert "Select" not in listed
    assert "Operators" not in listed


@pytest.mark.parametrize(("given", "kind"), [("csv", "text/csv"), ("json", "application/json")])
async def test_gaps_are_exported_as_they_are_shown(given: str, kind: str, house: House) -> None:
    await asked_in_vain(house, "=1+1")
    browser = await an_operator(house)
    response = await browser.get(f"{gaps_path(house)}/export?format={given}&state=open&text=1%2B1")
    assert response.headers["content-type"].startswith(kind)
    assert response.headers["content-disposition"] == f'attachment; filename="gaps.{given}"'
    assert ("'=1+1" if given == "csv" else '"=1+1"') in response.text
    nothing = await browser.get(f"{gaps_path(house)}/export?format={given}&text=lamps")
    assert "1+1" not in nothing.text


async def test_a_gap_leads_to_a_page_or_text_that_says_it(house: House) -> None:
    gap = await asked_in_vain(house, "Do you ship <b>to</b> Malta?")
    browser = await an_operator(house)
    html = await browser.page(f"{gaps_path(house)}/{gap}")
    [link] = re.findall(r'href="([^"]*/sources\?title=[^"]*)#text"', html)
    form = await browser.page(link)
    assert 'value="Do you ship &lt;b&gt;to&lt;/b&gt; Malta?"' in form
    assert '<details class="fold quiet" id="text" open>' in form
    assert "Edit the text that nearly answered" not in html


async def test_a_gap_leads_to_the_text_that_nearly_answered(house: House) -> None:
    config = SourceConfig(kinds.TEXT, "Islands", text="We ship to Gozo.")
    source = await house.parts.get(Sources).create(house.actor, house.agent.id, config)
    gap = await asked_in_vain(house, "Do you ship to Malta?", found=f"urn:uuid:{source.id}#gozo", title="Islands")
    browser = await an_operator(house)
    html = await browser.page(f"{gaps_path(house)}/{gap}")
    path = f"/console/agents/{house.agent.id}/sources/{source.id}"
    assert f'href="{path}#settings">Edit the text that nearly answered</a>' in html
    assert 'id="settings"' in await browser.page(path)
    told = (await house.api("GET", f"/v1/gaps/{gap}")).json()
    assert told["snapshot"]["text_source_id"] == str(source.id)


async def test_a_page_at_the_address_of_a_text_is_not_that_text(house: House) -> None:
    config = SourceConfig(kinds.TEXT, "Islands", url=PAGE, text="We ship to Gozo.")
    await house.parts.get(Sources).create(house.actor, house.agent.id, config)
    gap = await asked_in_vain(house, "Do you ship to Malta?", found=PAGE, title="Pricing")
    html = await (await an_operator(house)).page(f"{gaps_path(house)}/{gap}")
    assert "Edit the text that nearly answered" not in html


async def test_a_gap_leads_to_the_threshold_that_would_answer_it(house: House) -> None:
    gap = await asked_in_vain(house, "Do you ship to Malta?", sure=(0.21, 0.05))
    html = await (await an_operator(house)).page(f"{gaps_path(house)}/{gap}")
    assert f'href="/console/agents/{house.agent.id}/threshold?gap={gap}">Lower the threshold</a>' in html
    assert "At 21% search would be sure enough of this gap" in text_of(html)
    assert "The best passage has a confidence of 21%; the agent answers from 25%." in text_of(html)


async def test_no_gap_leads_to_a_threshold_that_harms(house: House) -> None:
    gap = await asked_in_vain(house, "How much does delivery cost?", sure=(0.14, 0.05))
    browser = await an_operator(house)
    page = text_of(await browser.page(f"{gaps_path(house)}/{gap}"))
    assert "The best passage has a confidence of 14%" in page
    assert "Lower the threshold" not in page
    threshold = text_of(await browser.page(f"/console/agents/{house.agent.id}/threshold?gap={gap}"))
    assert "No threshold of 15% or more would answer this gap" in threshold


async def test_a_viewer_is_led_to_no_form(house: House) -> None:
    gap = await asked_in_vain(house, "Do you ship to Malta?", sure=(0.27, 0.21))
    html = await (await an_operator(house, Role.VIEWER)).page(f"{gaps_path(house)}/{gap}")
    assert "Other ways to close it" not in html

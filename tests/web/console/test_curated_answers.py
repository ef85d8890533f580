"""Curated answers are written, rehearsed before they are saved, and changed."""

from uuid import uuid4

from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole
from tests.web.ended_turn import store_turn

WRITTEN = {"trigger": "phrase", "pattern": "does it cost", "answer": "12 euros a month."}


def place(console: OpenConsole, rest: str = "") -> str:
    return f"/console/agents/{console.house.agent.id}/curated-answers{rest}"


async def test_a_rehearsal_saves_nothing_and_keeps_what_was_typed(console: OpenConsole) -> None:
    shown = (await console.editor.post(place(console, "/new"), {**WRITTEN, "act": "rehearse"})).text
    assert "What does it cost?" in shown
    assert "12 euros a month.</textarea>" in shown
    assert '<option value="phrase" selected>' in shown
    assert "12 euros a month." not in await console.viewer.page(place(console))


async def test_an_answer_is_written_changed_and_deleted(console: OpenConsole) -> None:
    editor = console.editor
    assert "from now on" in await editor.flash(await editor.post(place(console, "/new"), WRITTEN))
    one = place(console, f"/{console.rooms.ids['answer_id']}")
    changed = {
        **WRITTEN,
        "pattern": "per month",
        "expires_at": "2025-12-31",
        "language": "en",
        "page_prefix": "/prices",
    }
    assert "saved" in await editor.flash(await editor.post(one, changed))
    listed = text_of(await console.viewer.page(place(console)))
    for words in ("does it cost", "per month", "expired", "/prices"):
        assert words in listed
    assert "deleted" in await editor.flash(await editor.post(f"{one}/delete"))
    assert "per month" not in await console.viewer.page(place(console))


async def test_an_answer_is_switched_off_and_made_again_what_it_was(console: OpenConsole) -> None:
    editor = console.editor
    one = place(console, f"/{console.rooms.ids['answer_id']}")
    await editor.post(one, WRITTEN)
    assert "is off" in await editor.flash(await editor.post(f"{one}/switch", {"is_on": "false"}))
    shown = text_of(await console.viewer.page(one))
    assert "This answer is off. Visitors do not get it." in shown
    assert "editor@example.com changed on or off" in shown
    assert "editor@example.com changed given where, words, answer" in shown
    assert "does it cost" in await console.viewer.page(place(console, "?state=off"))
    assert "does it cost" not in await console.viewer.page(place(console, "?state=on"))
    assert "Version restored" in await editor.flash(await editor.post(f"{one}/restore", {"number": "1"}))
    shown = await console.viewer.page(one)
    assert "From 9 to 17." in shown
    assert "This answer is off" not in shown


async def test_a_proposed_change_waits_until_somebody_approves_it(console: OpenConsole) -> None:
    """That of the furnished house."""
    editor, viewer = console.editor, console.viewer
    one = place(console, f"/{console.rooms.ids['answer_id']}")
    assert "proposal" in await viewer.page(place(console, "?state=proposed"))
    shown = text_of(await viewer.page(one))
    assert "answer From 9 to 17. From 10 to 17." in shown
    assert "Approve" not in shown
    assert (await viewer.post(f"{one}/approve", {"number": "2"})).status_code == 403
    assert "Proposal approved" in await editor.flash(await editor.post(f"{one}/approve", {"number": "2"}))
    assert "From 10 to 17.</textarea>" in await editor.page(one)
    assert "No curated answer matches these filters." in await viewer.page(place(console, "?state=proposed"))
    entries = text_of(await console.admin.page("/console/audit?action=curated_answer"))
    assert "curated_answer.propose" in entries
    assert "curated_answer.approve" in entries
    assert (await editor.post(f"{one}/approve", {"number": "2"})).status_code == 404


async def test_a_proposed_change_that_is_declined_changes_nothing(console: OpenConsole) -> None:
    one = place(console, f"/{console.rooms.ids['answer_id']}")
    editor = console.editor
    assert "Proposal declined" in await editor.flash(await editor.post(f"{one}/decline", {"number": "2"}))
    shown = await editor.page(one)
    assert "From 9 to 17.</textarea>" in shown
    assert "Proposed change" not in shown
    assert "curated_answer.decline" in text_of(await console.admin.page("/console/audit?action=curated_answer"))


async def test_an_edit_that_waits_is_none_of_the_history(still_console: OpenConsole) -> None:
    one = place(still_console, f"/{still_console.rooms.ids['answer_id']}")
    assert (await still_console.editor.post(f"{one}/restore", {"number": "2"})).status_code == 404
    assert "From 10 to 17." not in (await still_console.viewer.page(one)).partition('class="history"')[2]


async def test_answers_are_searched(console: OpenConsole) -> None:
    await console.editor.post(place(console, "/new"), WRITTEN)
    assert "does it cost" in await console.viewer.page(place(console, "?q=EUROS+cost"))
    assert "No curated answer matches these filters." in await console.viewer.page(place(console, "?q=lighthouse"))


async def test_an_answer_shows_where_it_was_used(console: OpenConsole) -> None:
    answer_id = console.rooms.ids["answer_id"]
    visitor = await console.house.visitor()
    turn_id = uuid4()
    await visitor.ask(turn_id)
    session = console.house.turns.asked[-1][0]
    await store_turn(console.house, session, turn_id, curated_answer_id=answer_id)
    shown = await console.viewer.page(place(console, f"/{answer_id}"))
    assert f"/conversations/{session.conversation_id}" in shown
    assert "Last 30 days 1 time" in text_of(shown)


async def test_a_turn_fills_the_form(still_console: OpenConsole) -> None:
    shown = await still_console.editor.page(place(still_console, f"/new?turn={still_console.rooms.ids['turn_id']}"))
    assert "What does it cost?</textarea>" in shown
    assert "12 euros.</textarea>" in shown


async def test_what_is_wrong_stands_beside_its_field(still_console: OpenConsole) -> None:
    wrong = {**WRITTEN, "trigger": "regex", "pattern": "(?<!x)y"}
    response = await still_console.editor.post(place(still_console, "/new"), wrong)
    assert response.status_code == 422
    assert 'id="add_curated_answer-pattern-wrong"' in response.text


async def test_an_answer_is_drawn_while_it_is_written(still_console: OpenConsole) -> None:
    editor = still_console.editor
    shown = await editor.post(place(still_console, "/preview"), {"answer": "**12 euros** <script>x</script>"})
    assert "<strong>12 euros</strong> &lt;script&gt;x&lt;/script&gt;" in shown.text
    form = await editor.page(place(still_console, "/new"))
    assert f'hx-post="{place(still_console, "/preview")}"' in form

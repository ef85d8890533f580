"""Operators read what visitors asked, and make something of it in one click."""

import csv
import io
import re
from html import unescape
from uuid import UUID, uuid4

from app.conversations.conversation import Visitor
from app.conversations.privacy.records import VisitorRecords
from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.visitor_facts import DeviceKind, VisitorDevice
from app.core.turn import Channel, GapState, VisitorSession
from app.gaps.records.gaps import GapRecords
from tests.store.sample_rows import ask
from tests.web.console.browser import Value, text_of
from tests.web.console.page_examples import OpenConsole
from tests.web.ended_turn import store_turn

BOX = r'type="checkbox" name="conversation_ids" value="([^"]+)"'


def place(console: OpenConsole, rest: str = "") -> str:
    return f"/console/agents/{console.house.agent.id}/conversations{rest}"


def turn(console: OpenConsole, act: str) -> str:
    ids = console.rooms.ids
    return place(console, f"/{ids['conversation_id']}/turns/{ids['turn_id']}/{act}")


async def test_conversations_are_found_by_what_was_said(still_console: OpenConsole) -> None:
    viewer = still_console.viewer
    listed = await viewer.page(place(still_console))
    assert "Is there a discount?" in listed
    assert ">www.example.com/pricing</span>" in listed
    found = await viewer.page(place(still_console, "?q=DISCOUNT&low=yes&answered_by=&rating=&since="))
    assert "Is there a discount?" in found
    assert "What does it cost?" not in found
    assert 'value="DISCOUNT"' in found
    assert "Nothing found" in await viewer.page(place(still_console, "?q=zebra"))
    assert (await viewer.get(place(still_console, "?rating=sideways"))).status_code == 422


async def test_conversations_of_a_named_visitor_are_found(console: OpenConsole) -> None:
    house = console.house
    with house.record.writing() as tx:
        visitor = ConversationRecords(tx).signed_visitor(house.agent.id, "ann-42")
        conversation = ConversationRecords(tx).start(visitor, Channel.WIDGET)
    session = VisitorSession(house.actor.workspace_id, house.agent.id, visitor.id, conversation.id, Channel.WIDGET)
    await ask(house.record, session, "Where is my order?")
    found = await console.viewer.page(place(console, "?user_id=ann-42"))
    assert re.findall('class="inbox-question"[^>]*>(.*?)<', found) == ["Where is my order?"]
    assert 'name="user_id" type="text" value="ann-42"' in found


async def test_chosen_conversations_are_closed_together_and_opened_again_by_undo(console: OpenConsole) -> None:
    editor = console.editor
    boxes = re.findall(BOX, await editor.page(place(console)))
    assert len(boxes) > 2
    form: dict[str, Value] = {"conversation_ids": boxes[:2], "do": "close", "back": "state=open&q="}
    closed = await editor.post(place(console, "/edit"), form)
    shown = await editor.page(closed.headers["location"])
    assert "2 conversations closed." in shown
    after = re.findall(BOX, shown)
    assert after == boxes[2:]
    undo: dict[str, Value] = {"conversation_ids": boxes[:2], "do": "open", "back": ""}
    assert all(f'type="hidden" name="conversation_ids" value="{each}"' in shown for each in boxes[:2])
    assert await editor.flash(await editor.post(place(console, "/edit"), undo)) == "2 conversations reopened."
    assert re.findall(BOX, await editor.page(place(console))) == boxes


async def test_a_label_is_taken_from_those_alone_that_got_it(console: OpenConsole) -> None:
    editor, edit = console.editor, place(console, "/edit")
    first, second = re.findall(BOX, await editor.page(place(console)))[:2]
    await editor.post(edit, {"conversation_ids": [first], "do": "label", "label": "Refund"})
    labelled = await editor.post(edit, {"conversation_ids": [first, second], "do": "label", "label": "refund"})
    shown = await editor.page(labelled.headers["location"])
    assert await editor.undo(edit, shown) == "Label removed from 1 conversation."
    assert re.findall(BOX, await editor.page(place(console, "?label=Refund"))) == [first]
    removed = await editor.post(edit, {"conversation_ids": [first], "do": "unlabel", "label": "Refund"})
    assert await editor.undo(edit, await editor.page(removed.headers["location"])) == "1 conversation labelled."
    assert re.findall(BOX, await editor.page(place(console, "?label=Refund"))) == [first]
    again = await editor.post(edit, {"conversation_ids": [first], "do": "label", "label": "Refund"})
    assert 'id="undo"' not in await editor.page(again.headers["location"]), "it had the label before"


async def test_those_that_were_assigned_together_go_back_to_whoever_had_each(console: OpenConsole) -> None:
    editor, edit = console.editor, place(console, "/edit")
    first, second = re.findall(BOX, await editor.page(place(console)))[:2]
    await editor.post(edit, {"conversation_ids": [first], "do": "assign", "assignee": "admin@example.com"})
    given = await editor.post(edit, {"conversation_ids": [first, second], "do": "mine"})
    shown = await editor.page(given.headers["location"])
    assert await editor.undo(edit, shown) == "2 conversations reassigned as before."
    assert re.findall(BOX, await editor.page(place(console, "?assignee=admin@example.com"))) == [first]
    assert second in re.findall(BOX, await editor.page(place(console, "?assignee=nobody")))


async def test_a_bulk_form_that_says_too_little_stands_there_again(console: OpenConsole) -> None:
    chosen = str(console.rooms.ids["conversation_id"])
    wrong: tuple[tuple[dict[str, Value], str], ...] = (
        ({"do": "close"}, "Select at least one conversation first"),
        ({"conversation_ids": [chosen]}, "Choose an action"),
        ({"conversation_ids": [chosen], "do": "label"}, "Enter a label"),
        ({"conversation_ids": [chosen], "do": "label", "label": "a, b"}, "A label cannot contain a comma"),
        (
            {"conversation_ids": [chosen], "do": "assign", "assignee": "eve@example.com"},
            "No operator in this workspace has this address",
        ),
    )
    for form, told in wrong:
        refused = await console.editor.post(place(console, "/edit"), form)
        assert refused.status_code == 422
        assert told in text_of(refused.text)


async def test_one_works_through_a_filtered_list_conversation_by_conversation(console: OpenConsole) -> None:
    editor, query = console.editor, "?state=open&outcome=unanswered"
    listed = re.findall(r'class="inbox-question" href="([^"]+)"', await editor.page(place(console, query)))
    first, second, third = (unescape(each) for each in listed[:3])
    shown = unescape(await editor.page(second))
    assert f'rel="prev" href="{first}"' in shown
    assert f'rel="next" href="{third}"' in shown
    act = second.partition("?")[0] + "/edit"
    assert "assigned to editor@example.com" in await editor.flash(await editor.post(act, {"do": "mine"}))
    assert "editor@example.com (you)" in await editor.page(second)
    closed = await editor.post(act, {"do": "close", "back": query[1:]})
    assert closed.headers["location"].startswith(third.partition("?")[0])
    assert "1 conversation closed." in await editor.page(closed.headers["location"])


async def test_how_many_of_its_questions_got_no_answer_is_told(console: OpenConsole) -> None:
    visitor = await console.house.visitor()
    await visitor.ask(uuid4())
    session = console.house.turns.asked[-1][0]
    await store_turn(console.house, session, uuid4(), "Is it waterproof?")
    await ask(console.house.record, session, "And the strap?")
    listed = await console.viewer.page(place(console, "?q=waterproof"))
    assert "1 of 2 not answered" in text_of(listed)
    (opened,) = re.findall(r'class="inbox-question" href="([^"]+)"', listed)
    shown = text_of(await console.viewer.page(unescape(opened)))
    assert "Quoted from pages not answered confidence 20%" in shown
    assert shown.count("not answered") == 3  # the conversation, its one turn, and its line in the list beside it


async def test_what_is_found_is_taken_along_as_a_table_without_formulas(console: OpenConsole) -> None:
    visitor = await console.house.visitor()
    await visitor.ask(uuid4())
    await store_turn(console.house, console.house.turns.asked[-1][0], uuid4(), "=1+1")
    file = await console.viewer.get(place(console, "/export?q=1%2B1"))
    heads, row = csv.reader(io.StringIO(file.text))
    told = dict(zip(heads, row, strict=True))
    assert (told["first_question"], told["outcome"], told["state"]) == ("'=1+1", "unanswered", "open")
    assert len((await console.viewer.get(place(console, "/export?format=json&q=1%2B1"))).json()) == 1


async def test_the_visitor_stands_beside_the_conversation(console: OpenConsole) -> None:
    ids = console.rooms.ids
    path = place(console, f"/{ids['conversation_id']}")
    shown = text_of(await console.viewer.page(path))
    assert "Identified only by their browser" in shown
    assert "Export visitor data" in shown
    assert "Erase visitor" not in shown
    file = await console.viewer.get(f"/console/agents/{ids['agent_id']}/visitors/{ids['visitor_id']}/export")
    exported = file.json()
    assert exported["visitor_id"] == str(ids["visitor_id"])
    assert exported["conversations"][0]["labels"] == ["prices"]
    own = (await console.rooms.visitor.call("GET", "/me/export")).json()
    assert own["conversations"][0]["labels"] == [], "what operators call it is theirs"
    erased = await console.editor.flash(
        await console.editor.post(f"/console/agents/{ids['agent_id']}/visitors/{ids['visitor_id']}/erase")
    )
    assert erased.startswith("The visitor is erased, with 1 conversation and 1 turn. Receipt: ")
    assert (await console.viewer.get(path)).status_code == 404


async def test_what_it_was_begun_on_stands_beside_it_where_it_is_kept(console: OpenConsole) -> None:
    device = VisitorDevice(DeviceKind.TABLET, "iPadOS 17", "Safari 17")
    with console.house.record.writing() as tx:
        visitor = ConversationRecords(tx).new_visitor(console.house.agent.id)
        begun = ConversationRecords(tx).start(visitor, Channel.WIDGET, device)
    shown = text_of(await console.viewer.page(place(console, f"/{begun.id}")))
    assert "Device tablet, iPadOS 17, Safari 17" in shown
    other = text_of(await console.viewer.page(place(console, f"/{console.rooms.ids['conversation_id']}")))
    assert "Device" not in other


async def test_notes_are_for_operators_alone(console: OpenConsole) -> None:
    ids, words = console.rooms.ids, "She sounds <b>upset</b>."
    path = place(console, f"/{ids['conversation_id']}")
    assert await console.editor.flash(await console.editor.post(f"{path}/notes", {"text": words})) == "Noted."
    shown = await console.viewer.page(path)
    assert words in text_of(shown)
    assert "editor@example.com" in shown
    assert "New note" not in shown
    visitor = console.rooms.visitor
    for looks_at in ("/conversation/messages", "/person", "/me/export"):
        assert "upset" not in (await visitor.call("GET", looks_at)).text
    file = await console.viewer.get(f"/console/agents/{ids['agent_id']}/visitors/{ids['visitor_id']}/export")
    assert [note["text"] for note in file.json()["conversations"][0]["notes"]] == ["Asked the warehouse.", words]
    session = console.house.turns.asked[0][0]
    with console.house.record.reading() as tx:
        assert "upset" not in str(StoredTurnRecords(tx).history(session.conversation_id, 10)), "no model reads it"
    with console.house.record.writing() as tx:
        assert VisitorRecords(tx).erase(console.house.actor.workspace_id, ids["visitor_id"]).rows["notes"] == 2


async def test_other_conversations_of_a_visitor_are_linked(console: OpenConsole) -> None:
    session = console.rooms.visitor.session
    ids = console.rooms.ids
    with console.house.record.writing() as tx:
        visitor = Visitor(ids["visitor_id"], ids["agent_id"], UUID(session["visitor_id"]))
        other = ConversationRecords(tx).start(visitor, Channel.WIDGET)
    its = VisitorSession(console.house.actor.workspace_id, ids["agent_id"], visitor.id, other.id, Channel.WIDGET)
    await store_turn(console.house, its, uuid4(), "And to Gozo?")
    shown = await console.viewer.page(place(console, f"/{ids['conversation_id']}"))
    assert re.search(rf'conversations/{other.id}\?[^"]*" dir="auto">And to Gozo\?</a>', shown)
    assert "Create gap" not in await console.editor.page(place(console, f"/{other.id}"))
    await ask(console.house.record, its)
    assert "Create gap" in await console.editor.page(place(console, f"/{other.id}"))
    listed = await console.viewer.page(place(console, f"?state=all&visitor={ids['visitor_id']}"))
    assert listed.count('class="inbox-question"') == 2


async def test_a_thread_shows_what_made_each_answer(still_console: OpenConsole) -> None:
    path = place(still_console, f"/{still_console.rooms.ids['conversation_id']}")
    shown = text_of(await still_console.viewer.page(path))
    for words in ("What does it cost?", "12 euros 1", "confidence 20%", "Quoted from pages", "Pricing"):
        assert words in shown
    assert "Add golden question" not in shown
    assert "Add golden question" in await still_console.editor.page(path)


async def test_a_turn_becomes_a_gap_or_a_golden_question_in_one_click(console: OpenConsole) -> None:
    assert "created." in await console.editor.flash(await console.editor.post(turn(console, "gap")))
    told = await console.editor.flash(await console.editor.post(turn(console, "golden")))
    assert told == 'Golden question "What does it cost?" added. Pages that answer it: 1.'


async def test_a_turn_that_counts_as_a_gap_leads_there(console: OpenConsole) -> None:
    house, path = console.house, place(console, f"/{console.rooms.ids['conversation_id']}")
    flagged = await console.editor.post(turn(console, "gap"))
    gap = flagged.headers["location"]
    shown = await console.editor.page(path)
    assert re.search(rf'href="{gap}">.*Answer the gap</a>', shown, re.DOTALL)
    assert "Create gap" not in shown
    assert "Write an answer" not in shown, "one that no gap knows of would close none"
    with house.record.writing() as tx:
        GapRecords(tx).set_state(house.actor.workspace_id, UUID(gap.rpartition("/")[2]), GapState.RESOLVED, "")
    shown = await console.editor.page(path)
    assert re.search(rf'href="{gap}">.*View gap</a>', shown, re.DOTALL)
    assert "Write an answer" in shown


async def test_a_turn_of_another_conversation_is_not_there(console: OpenConsole) -> None:
    ids = console.rooms.ids
    path = place(console, f"/{ids['conversation_id']}/turns/{ids['gap_id']}/gap")
    assert (await console.editor.post(path)).status_code == 404


async def test_the_sources_of_an_answer_are_folded_below_it(console: OpenConsole) -> None:
    html = await console.viewer.page(place(console, f"/{console.rooms.ids['conversation_id']}"))
    fold = re.search(r"<details[^>]*><summary[^>]*>1 source</summary>(.*?)</details>", html, re.DOTALL)
    assert fold
    assert 'class="citations"' in fold[1]

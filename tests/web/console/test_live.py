"""Operators see who asks for a person, answer in the place of the agent, and hand back."""

import re
from html import unescape
from pathlib import Path
from uuid import uuid4

import pytest

from app.agents.agents import Agents
from app.core.actor import Actor
from app.providers.chat.chat_model import ChatModel
from app.workspaces.operators import Assignees
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.visitors import visitor_of
from tests.store.sample_rows import ask
from tests.web.console.browser import ConsoleBrowser, an_operator, text_of
from tests.web.console.page_examples import FORMS, OpenConsole, open_console
from tests.web.ended_turn import store_turn
from tests.web.house import House


@pytest.fixture
async def waiting(console: OpenConsole) -> OpenConsole:
    """A visitor is waiting for a person, and has written something."""
    await console.visitor_asks_for_a_person()
    await say(console, "My lamp is <b>broken</b>.")
    return console


async def say(console: OpenConsole, text: str) -> None:
    body = {"message_id": str(uuid4()), "text": text}
    assert (await console.rooms.visitor.call("POST", "/person/messages", body)).status_code == 200


def chat(console: OpenConsole, rest: str = "") -> str:
    return f"/console/live/{console.rooms.ids['conversation_id']}{rest}"


async def heard(console: OpenConsole) -> list[tuple[str | None, str]]:
    """What the visitor's browser shows of the operators."""
    told = (await console.rooms.visitor.call("GET", "/person")).json()
    return [(each["name"], each["text"]) for each in told["messages"] if each["author"] == "operator"]


async def take(console: OpenConsole, who: ConsoleBrowser) -> None:
    assert "You have taken over" in await who.flash(await who.post(chat(console, "/take"), {"name": "Ann"}))


async def test_who_waits_is_counted_in_the_menu_of_every_page_and_listed(waiting: OpenConsole) -> None:
    shown = text_of(await waiting.viewer.page("/console/account"))
    assert "Live 1 waiting" in shown
    listed = text_of(await waiting.viewer.page("/console/live"))
    assert "My lamp is <b>broken</b>." in listed
    assert re.search(r"waiting Visitor [0-9a-f]{4} · Docs", listed)
    waiting.house.clock.advance(121)
    assert "overdue" in text_of(await waiting.viewer.page("/console/live"))
    await take(waiting, waiting.editor)
    shown = await waiting.viewer.page("/console/live")
    assert "waiting</span>" not in shown
    assert "with editor@example.com" in text_of(shown)


async def test_a_chat_shows_what_was_said_before_and_since(waiting: OpenConsole) -> None:
    html = await waiting.viewer.page(chat(waiting))
    shown = text_of(html)
    for words in (
        "What does it cost?",
        "12 euros 1",
        "Is anybody there?",
        "My lamp is <b>broken</b>.",
        "waiting for a",
    ):
        assert words in shown
    assert "<b>broken" not in html
    assert "Take over" not in shown  # a viewer only reads


async def test_what_the_visitor_wants_stands_above_the_chat(waiting: OpenConsole) -> None:
    html = await waiting.viewer.page(chat(waiting))
    ids = waiting.rooms.ids
    conversation = f"/console/agents/{ids['agent_id']}/conversations/{ids['conversation_id']}"
    assert "What the visitor wants" not in await waiting.viewer.page(conversation), "its only question is all there is"
    assert "What the visitor wants What does it cost? not answered" in text_of(html)
    assert "Sum up" not in html, "there is no model"


async def test_a_model_sums_up_once_the_chat_is_open(tmp_path: Path) -> None:
    model = ScriptedChatModel(("Wants a lamp in Malta.",))
    async with open_console(tmp_path, {ChatModel: model}) as console:
        await console.visitor_asks_for_a_person()
        assert "Sum up" not in await console.editor.page(chat(console)), "one question needs none"
        own = console.rooms.ids["conversation_id"]
        sessions = [each for each, _ in console.house.turns.asked if str(each.conversation_id) == str(own)]
        await store_turn(console.house, sessions[0], uuid4(), "Do you ship to Malta?")
        html = await console.editor.page(chat(console))
        assert "Wants a lamp" not in html, "the page does not wait for the model"
        [summary] = re.findall(r'hx-post="([^"]+)" hx-trigger="load, submit"', html)
        assert "Sum up" not in await console.viewer.page(chat(console)), "it costs tokens"
        assert (await console.editor.post(summary)).headers["location"] == chat(console, "#hand-over")
        ids = console.rooms.ids
        conversation = f"/console/agents/{ids['agent_id']}/conversations/{ids['conversation_id']}"
        for path in (chat(console), conversation):
            shown = await console.editor.page(path)
            wants = "What the visitor wants Wants a lamp in Malta. Summed up by a chat model. What does it cost?"
            assert wants in text_of(shown)
            assert "Sum up" not in shown
        assert len(model.requests) == 1


async def test_a_conversation_that_no_person_was_asked_for_has_no_hand_over(console: OpenConsole) -> None:
    house = console.house
    session = await visitor_of(house.record, house.actor.workspace_id, house.agent.id)
    await ask(house.record, session, "Do you ship to Malta?")
    conversation = f"/console/agents/{house.agent.id}/conversations/{session.conversation_id}"
    assert "What the visitor wants" not in await console.editor.page(conversation)


async def test_who_asks_and_what_was_noted_stand_beside_the_chat(waiting: OpenConsole) -> None:
    editor, ids = waiting.editor, waiting.rooms.ids
    notes = f"/console/agents/{ids['agent_id']}/conversations/{ids['conversation_id']}/notes"
    noted = await editor.post(notes, {"text": "Asked <b>twice</b>.", "is_in_chat": "true"})
    assert noted.headers["location"] == chat(waiting, "#notes")
    html = await waiting.viewer.page(chat(waiting))
    shown = text_of(html)
    for words in ("First seen", "Asked on https://www.example.com/pricing", "Asked <b>twice</b>."):
        assert words in shown
    assert "New note" not in shown  # a viewer only reads
    assert "New note" in await editor.page(chat(waiting))
    assert "First seen" not in await editor.page(chat(waiting, "?after=1"))  # a look for what is new


async def test_what_the_visitor_has_left_in_a_form_stands_beside_their_chat_and_conversation(
    waiting: OpenConsole,
) -> None:
    ids = waiting.rooms.ids
    conversation = f"/console/agents/{ids['agent_id']}/conversations/{ids['conversation_id']}"
    for path in (chat(waiting), conversation):
        assert "Left a message Ann · ann@example.com Do you ship to Malta?" in text_of(await waiting.viewer.page(path))
    await (other := await waiting.house.visitor()).call("POST", "/person")
    theirs = await waiting.viewer.page(f"/console/live/{other.session['conversation_id']}")
    assert "Left a message" not in theirs


async def test_the_list_beside_a_chat_has_those_who_wait_then_ones_own_then_others(waiting: OpenConsole) -> None:
    await take(waiting, waiting.editor)
    await (await waiting.house.visitor()).call("POST", "/person")
    for who, order in ((waiting.editor, ("waiting", "with you")), (waiting.viewer, ("waiting", "with editor"))):
        html = await who.page(chat(waiting))
        [listed] = re.findall(r'<nav class="pane" aria-label="Live chats">.*?</nav>', html, re.DOTALL)
        badges = re.findall(r'class="badge \w+">([^<]+)<', listed)
        assert [each.startswith(words) for each, words in zip(badges, order, strict=True)] == [True, True]
        assert f'href="{chat(waiting)}" dir="auto" aria-current="page"' in listed
        assert re.search(r'dir="auto" rel="prev">\(no message yet\)', listed)
        polled = unescape(re.findall(r'id="live"[^>]* hx-get="([^"]+)"', listed)[0])
        assert listed.count("</li>") == 2
        assert 'aria-current="page"' in re.findall(r'<ol class="inbox".*?</ol>', await who.page(polled), re.DOTALL)[0]


async def test_colleagues_who_have_the_console_open_come_first(waiting: OpenConsole) -> None:
    await take(waiting, waiting.editor)
    viewer = Actor(waiting.house.actor.workspace_id, "viewer@example.com", operator_id=uuid4())
    await waiting.house.parts.get(Assignees).is_online(viewer)
    shown = await waiting.editor.page(chat(waiting))
    [choice] = re.findall(r'<select id="transfer_live-assignee".*?</select>', shown, re.DOTALL)
    assert text_of(choice).startswith("Choose viewer@example.com (online) ")


async def test_an_operator_takes_over_answers_and_hands_back(waiting: OpenConsole) -> None:
    editor = waiting.editor
    assert "Your name, shown to the visitor" in await editor.page(chat(waiting))
    await take(waiting, editor)
    sent = await editor.post(chat(waiting, "/reply"), {"message_id": str(uuid4()), "text": "Let me see."})
    assert sent.headers["location"] == chat(waiting, "#write")
    assert await heard(waiting) == [("Ann", "Let me see.")]
    assert "Let me see." in await editor.page(chat(waiting))
    assert "Handed back" in await editor.flash(await editor.post(chat(waiting, "/hand-back")))
    assert (await waiting.rooms.visitor.call("GET", "/person")).json()["state"] == "ended"
    assert "No one is waiting" in await editor.page("/console/live")


async def test_the_same_form_sent_twice_is_one_message(waiting: OpenConsole) -> None:
    await take(waiting, waiting.editor)
    shown = await waiting.editor.page(chat(waiting))
    [message_id] = re.findall(r'/reply"(?:(?!</form>).)*name="message_id" value="([^"]+)"', shown, re.S)
    for _ in range(2):
        await waiting.editor.post(chat(waiting, "/reply"), {"message_id": message_id, "text": "Let me see."})
    assert await heard(waiting) == [("Ann", "Let me see.")]


async def test_who_comes_second_is_told_who_has_it_and_keeps_what_they_wrote(waiting: OpenConsole) -> None:
    await take(waiting, waiting.editor)
    for rest in ("/take", "/reply"):
        refused = await waiting.admin.post(chat(waiting, rest), {"text": "I am here too.", "name": "Ben"})
        assert refused.status_code == 422
        assert "editor@example.com has this chat" in text_of(refused.text)
    assert "I am here too." in refused.text
    assert await heard(waiting) == []


async def test_an_admin_hands_back_what_another_has_and_an_editor_does_not(waiting: OpenConsole) -> None:
    await take(waiting, waiting.admin)
    assert "Hand back" not in await waiting.editor.page(chat(waiting))
    assert (await waiting.editor.post(chat(waiting, "/hand-back"))).status_code == 409
    await waiting.admin.post(chat(waiting, "/hand-back"))
    await waiting.visitor_asks_for_a_person()
    await take(waiting, waiting.editor)
    assert "Hand back" in await waiting.admin.page(chat(waiting))
    assert (await waiting.admin.post(chat(waiting, "/hand-back"))).status_code == 303


async def test_a_look_for_what_is_new_shows_that_alone_and_where_to_look_next(waiting: OpenConsole) -> None:
    first = await waiting.editor.page(chat(waiting))
    [newer] = re.findall(r'hx-get="([^"]+)" hx-trigger="every 3s"', first)
    await say(waiting, "Are you there?")
    shown = await waiting.editor.page(newer)
    assert "Are you there?" in shown
    assert "My lamp" not in shown
    [newest] = re.findall(r'hx-get="([^"]+)" hx-trigger="every 3s"', shown)
    assert newest != newer
    assert 'id="message-' not in await waiting.editor.page(newest)


async def test_an_ended_chat_is_looked_at_no_more(waiting: OpenConsole) -> None:
    await waiting.rooms.visitor.call("POST", "/person/end")
    shown = await waiting.editor.page(chat(waiting))
    assert "ended" in text_of(shown)
    assert 'hx-trigger="every 3s"' not in shown
    assert "Take over" not in shown


async def test_a_conversation_leads_to_its_live_chat(waiting: OpenConsole) -> None:
    ids = waiting.rooms.ids
    shown = await waiting.viewer.page(f"/console/agents/{ids['agent_id']}/conversations/{ids['conversation_id']}")
    assert f'href="{chat(waiting)}"' in shown


async def test_live_chat_is_switched_on_in_the_settings(console: OpenConsole) -> None:
    path = f"/console/agents/{console.house.agent.id}/settings"
    fields = FORMS["save_settings"]
    for given, expected in (({}, False), ({"live_chat": "true"}, True)):
        await console.editor.post(path, {**fields, **given})
        agent = await console.house.parts.get(Agents).agent(console.house.actor, console.house.agent.id)
        assert agent.draft.live_chat is expected
        assert ("Let visitors ask for a person" in await console.editor.page(path)) is True


async def test_a_chat_is_given_to_another_operator(waiting: OpenConsole) -> None:
    await take(waiting, waiting.editor)
    refused = await waiting.editor.post(chat(waiting, "/transfer"), {"assignee": "nobody@example.com"})
    assert "No operator in this workspace has this address." in refused.text
    given = await waiting.editor.post(chat(waiting, "/transfer"), {"assignee": "admin@example.com"})
    assert "Transferred to admin@example.com." in await waiting.editor.flash(given)
    assert "with you" in text_of(await waiting.admin.page("/console/live"))
    assert "Your message" not in await waiting.editor.page(chat(waiting))
    await waiting.admin.post(chat(waiting, "/reply"), {"message_id": str(uuid4()), "text": "I take it from here."})
    assert await heard(waiting) == [("Admin", "I take it from here.")]
    conversation = waiting.rooms.ids["conversation_id"]
    told = (await waiting.house.api("GET", f"/v1/conversations/{conversation}")).json()
    assert told["conversation"]["assignee"] == "admin@example.com"


async def test_what_the_visitor_says_of_it_stands_beside_the_chat_and_in_the_report(console: OpenConsole) -> None:
    await console.visitor_asks_for_a_person()
    await take(console, console.editor)
    report = "/console/report"
    assert "Satisfied with people 0" not in text_of(await console.viewer.page(report))
    for path, body in (("/person/end", None), ("/person/rating", {"rating": "down"})):
        assert (await console.rooms.visitor.call("POST", path, body)).status_code == 200
    assert "visitor: thumb down" in text_of(await console.viewer.page(chat(console)))
    house, conversation = console.house, console.rooms.ids["conversation_id"]
    shown = await console.viewer.page(f"/console/agents/{house.agent.id}/conversations/{conversation}")
    assert "live chat: thumb down" in text_of(shown)
    assert "Satisfied with people 0% 0 thumbs up for live chats, 1 down" in text_of(await console.viewer.page(report))


async def test_where_no_agent_offers_people_the_page_leads_to_what_does(house: House) -> None:
    operator = await an_operator(house)
    empty = await operator.page("/console/live")
    address = f"/console/agents/{house.agent.id}/settings#people"
    assert f'href="{address}"' in empty
    assert 'id="people"' in await operator.page(address.partition("#")[0])
    assert "conversation.person_asked" not in empty, "a name for programs"
    assert 'href="/console/notices"' in empty

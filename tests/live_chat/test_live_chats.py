"""A visitor asks for a person; operators answer in the place of the agent, on a real record."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.conversations.conversation import RESUME_WITHIN
from app.conversations.live_chat import MESSAGES_AT_ONCE, LiveState
from app.conversations.records.conversations import ConversationRecords
from app.core.actor import MANAGE, READ, WRITE, Actor
from app.core.errors import ChatAlreadyTaken, InvalidInput, NoActiveChat, NotFound
from app.core.turn import VisitorSession
from app.kit.cache import MemoryCache
from app.live_chat.live_chats import LiveChats, LiveSigns, LiveView
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.recording_history import RecordingHistory
from tests.doubles.stored_bytes import StoredBytes
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import new_agent, visitor_of

STAFF = frozenset((READ, WRITE))


@dataclass
class Desk:
    record: SystemOfRecord
    clock: FixedClock
    stored: StoredBytes
    chats: LiveChats
    history: RecordingHistory
    agent_id: UUID
    workspace: UUID

    @property
    def ann(self) -> Actor:
        return Actor(self.workspace, "ann@example.com", STAFF, UUID(int=1))

    @property
    def ben(self) -> Actor:
        return Actor(self.workspace, "ben@example.com", STAFF, UUID(int=2))

    async def visitor(self) -> VisitorSession:
        return await visitor_of(self.record, self.workspace, self.agent_id)

    async def say(self, session: VisitorSession, text: str) -> LiveView:
        return await self.chats.say(session, uuid4(), text)

    async def reply(self, actor: Actor, session: VisitorSession, text: str) -> LiveView:
        return await self.chats.reply(actor, session.conversation_id, uuid4(), text)

    async def set_live_chat(self, is_on: bool) -> None:
        with self.record.writing() as tx:
            agent = AgentRecords(tx).agent(self.workspace, self.agent_id)
            AgentRecords(tx).save_draft(self.workspace, agent.id, replace(agent.draft, live_chat=is_on))
            AgentRecords(tx).publish(self.workspace, agent.id)

    def audit(self) -> list[tuple[str, str]]:
        rows = self.stored.rows("select actor, action from audit_log order by id")
        return [(actor, action) for actor, action in rows]

    def news(self) -> int:
        return int(self.stored.rows("select count(*) from outbox where kind = 'conversation.person_asked'")[0][0])


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        agent = new_agent(record, AgentConfig(name="Docs", live_chat=True), is_published=True)
        history = RecordingHistory()
        chats = LiveChats(record, clock, history, LiveSigns(MemoryCache()))
        yield Desk(record, clock, StoredBytes(tmp_path), chats, history, agent.id, agent.workspace_id)


def texts(view: LiveView) -> list[tuple[int, str, str | None, str]]:
    return [(each.number, each.author.value, each.name, each.text) for each in view.messages]


async def test_a_visitor_and_an_operator_write_to_each_other(desk: Desk) -> None:
    session = await desk.visitor()
    assert (await desk.chats.poll(session, 0)).chat.state is LiveState.NONE
    assert (await desk.chats.ask(session)).chat.state is LiveState.WAITING
    await desk.say(session, " My lamp is broken. ")
    taken = await desk.chats.take_over(desk.ann, session.conversation_id)
    assert (taken.chat.state, taken.chat.operator_name) == (LiveState.TALKING, "Ann")
    await desk.reply(desk.ann, session, "Let me see.")
    seen = await desk.chats.poll(session, 0)
    assert texts(seen) == [(1, "visitor", None, "My lamp is broken."), (2, "operator", "Ann", "Let me see.")]
    assert texts(await desk.chats.poll(session, 1)) == [(2, "operator", "Ann", "Let me see.")]
    assert (await desk.chats.view(desk.ann, session.conversation_id)).messages == seen.messages
    assert (await desk.chats.hand_back(desk.ann, session.conversation_id)).chat.state is LiveState.ENDED
    assert (await desk.chats.poll(session, 2)).poll_seconds == 0


async def test_the_history_hears_of_each_message_and_of_the_end(desk: Desk) -> None:
    session, silent = await desk.visitor(), await desk.visitor()
    await desk.chats.ask(session)
    await desk.chats.take_over(desk.ann, session.conversation_id)
    assert desk.history.wrote == []
    await desk.say(session, "My lamp is broken.")
    await desk.reply(desk.ann, session, "Let me see.")
    await desk.chats.hand_back(desk.ann, session.conversation_id)
    assert desk.history.wrote == [session.conversation_id] * 3
    await desk.chats.ask(session)
    await desk.chats.leave(session)
    assert desk.history.wrote == [session.conversation_id] * 4
    await desk.chats.ask(silent)
    await desk.chats.leave(silent)
    assert silent.conversation_id not in desk.history.wrote


async def test_who_asks_again_while_it_is_open_is_told_of_once(desk: Desk) -> None:
    session = await desk.visitor()
    await asyncio.gather(*(desk.chats.ask(session) for _ in range(5)))
    assert desk.news() == 1
    await desk.chats.take_over(desk.ann, session.conversation_id)
    assert (await desk.chats.ask(session)).chat.state is LiveState.TALKING
    assert desk.news() == 1


async def test_each_asking_after_an_end_is_told_of_and_numbers_go_on(desk: Desk) -> None:
    session = await desk.visitor()
    await desk.chats.ask(session)
    await desk.say(session, "Hello?")
    assert (await desk.chats.leave(session)).chat.state is LiveState.ENDED
    await desk.chats.ask(session)
    assert [number for number, *_ in texts(await desk.say(session, "Again."))] == [1, 2]
    assert desk.news() == 2


async def test_the_same_message_again_changes_nothing(desk: Desk) -> None:
    session, sent, answer = await desk.visitor(), uuid4(), uuid4()
    await desk.chats.ask(session)
    await asyncio.gather(*(desk.chats.say(session, sent, "Hello?") for _ in range(3)))
    await desk.chats.take_over(desk.ann, session.conversation_id)
    for _ in range(2):
        await desk.chats.reply(desk.ann, session.conversation_id, answer, "Hello.")
    assert [text for *_, text in texts(await desk.chats.poll(session, 0))] == ["Hello?", "Hello."]


async def test_the_same_message_again_is_known_after_the_end(desk: Desk) -> None:
    session, sent, answer = await desk.visitor(), uuid4(), uuid4()
    await desk.chats.ask(session)
    await desk.chats.say(session, sent, "Hello?")
    await desk.chats.take_over(desk.ann, session.conversation_id)
    await desk.chats.reply(desk.ann, session.conversation_id, answer, "Hello.")
    await desk.chats.hand_back(desk.ann, session.conversation_id)
    for view in (
        await desk.chats.say(session, sent, "Hello?"),
        await desk.chats.reply(desk.ann, session.conversation_id, answer, "Hello."),
    ):
        assert (view.chat.state, len(view.messages)) == (LiveState.ENDED, 2)


async def test_nobody_is_written_to_before_they_were_asked_for_or_after_the_end(desk: Desk) -> None:
    session = await desk.visitor()
    with pytest.raises(NoActiveChat):
        await desk.say(session, "Hello?")
    await desk.chats.ask(session)
    await desk.chats.leave(session)
    with pytest.raises(NoActiveChat):
        await desk.say(session, "Hello?")
    with pytest.raises(NoActiveChat):
        await desk.chats.take_over(desk.ann, session.conversation_id)


async def test_of_two_operators_who_take_it_at_once_one_has_it(desk: Desk) -> None:
    session = await desk.visitor()
    await desk.chats.ask(session)
    takings = (desk.chats.take_over(actor, session.conversation_id) for actor in (desk.ann, desk.ben))
    won, lost = sorted(
        await asyncio.gather(*takings, return_exceptions=True), key=lambda each: isinstance(each, ChatAlreadyTaken)
    )
    assert isinstance(won, LiveView)
    assert isinstance(lost, ChatAlreadyTaken)
    assert won.chat.taken_by in str(lost)


async def test_another_operator_neither_replies_nor_hands_back_but_an_admin_does(desk: Desk) -> None:
    session = await desk.visitor()
    await desk.chats.ask(session)
    await desk.chats.take_over(desk.ann, session.conversation_id, "Ann of the shop")
    with pytest.raises(ChatAlreadyTaken):
        await desk.reply(desk.ben, session, "Me too.")
    with pytest.raises(ChatAlreadyTaken):
        await desk.chats.hand_back(desk.ben, session.conversation_id)
    admin = replace(desk.ben, scopes=STAFF | {MANAGE})
    assert (await desk.chats.hand_back(admin, session.conversation_id)).chat.state is LiveState.ENDED


async def test_a_token_that_is_named_like_an_operator_is_another(desk: Desk) -> None:
    session, token = await desk.visitor(), replace(desk.ann, operator_id=None)
    for taker, other in ((desk.ann, token), (token, desk.ann)):
        await desk.chats.ask(session)
        await desk.chats.take_over(taker, session.conversation_id)
        attempts = (
            desk.chats.take_over(other, session.conversation_id),
            desk.reply(other, session, "Me too."),
            desk.chats.operator_types(other, session.conversation_id),
            desk.chats.hand_back(other, session.conversation_id),
        )
        for attempt in attempts:
            with pytest.raises(ChatAlreadyTaken):
                await attempt
        await desk.reply(taker, session, "Let me see.")
        assert (await desk.chats.hand_back(taker, session.conversation_id)).chat.state is LiveState.ENDED


async def test_every_change_by_an_operator_is_audited_and_a_refused_one_is_not(desk: Desk) -> None:
    session = await desk.visitor()
    await desk.chats.ask(session)
    await desk.chats.take_over(desk.ann, session.conversation_id)
    with pytest.raises(ChatAlreadyTaken):
        await desk.reply(desk.ben, session, "Me too.")
    await desk.reply(desk.ann, session, "Hello.")
    for _ in range(2):
        await desk.chats.hand_back(desk.ann, session.conversation_id)
    who = "ann@example.com"
    assert desk.audit() == [(who, "live_chat.take"), (who, "live_chat.reply"), (who, "live_chat.hand_back")]


async def test_the_longest_waiting_come_first_and_those_that_somebody_has_last(desk: Desk) -> None:
    sessions = [await desk.visitor() for _ in range(4)]
    for session in sessions:
        desk.clock.advance(1)
        await desk.chats.ask(session)
    await desk.say(sessions[2], "Anybody?")
    await desk.chats.take_over(desk.ann, sessions[0].conversation_id)
    await desk.chats.leave(sessions[3])
    listed = await desk.chats.open_chats(desk.ben)
    assert [each.chat.conversation_id for each in listed] == [sessions[at].conversation_id for at in (1, 2, 0)]
    assert [(each.agent_name, each.latest_text) for each in listed] == [
        ("Docs", ""),
        ("Docs", "Anybody?"),
        ("Docs", ""),
    ]
    assert [each.chat.state for each in listed].count(LiveState.WAITING) == 2


async def test_who_cannot_come_back_waits_no_longer(desk: Desk) -> None:
    session = await desk.visitor()
    await desk.chats.ask(session)
    desk.clock.advance(RESUME_WITHIN.total_seconds() + 1)
    assert await desk.chats.open_chats(desk.ann) == []


async def test_a_cleared_conversation_waits_for_nobody_and_is_not_found(desk: Desk) -> None:
    session = await desk.visitor()
    await desk.chats.ask(session)
    with desk.record.writing() as tx:
        ConversationRecords(tx).clear(session)
    assert await desk.chats.open_chats(desk.ann) == []
    for attempt in (desk.chats.ask(session), desk.chats.poll(session, 0), desk.say(session, "Hello?")):
        with pytest.raises(NotFound):
            await attempt


async def test_a_long_chat_comes_piece_by_piece(desk: Desk) -> None:
    session = await desk.visitor()
    await desk.chats.ask(session)
    for number in range(MESSAGES_AT_ONCE + 2):
        said = await desk.say(session, str(number))
    assert [each.number for each in said.messages] == list(range(3, MESSAGES_AT_ONCE + 3))
    first = await desk.chats.poll(session, 0)
    assert (len(first.messages), first.poll_seconds < 1) == (MESSAGES_AT_ONCE, True)
    rest = await desk.chats.poll(session, first.messages[-1].number)
    assert ([each.text for each in rest.messages], rest.poll_seconds) == (["100", "101"], 4)


async def test_an_agent_without_live_chat_calls_nobody_but_open_chats_go_on(desk: Desk) -> None:
    talking, late = await desk.visitor(), await desk.visitor()
    await desk.chats.ask(talking)
    await desk.set_live_chat(False)
    with pytest.raises(InvalidInput, match="live_chat"):
        await desk.chats.ask(late)
    await desk.say(talking, "Still there?")


@pytest.mark.parametrize("text", [" ", "x" * 4001, "a\x00b"], ids=["blank", "too long", "control"])
async def test_what_cannot_be_shown_is_refused_by_its_field(desk: Desk, text: str) -> None:
    session = await desk.visitor()
    await desk.chats.ask(session)
    with pytest.raises(InvalidInput, match=r"^text:"):
        await desk.say(session, text)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda c, a, i: c.view(a, i), id="view"),
        pytest.param(lambda c, a, i: c.take_over(a, i), id="take_over"),
        pytest.param(lambda c, a, i: c.reply(a, i, uuid4(), "Hello."), id="reply"),
        pytest.param(lambda c, a, i: c.hand_back(a, i), id="hand_back"),
    ],
)
async def test_a_chat_of_another_workspace_is_absent(
    desk: Desk, act: Callable[[LiveChats, Actor, UUID], Awaitable[object]]
) -> None:
    session = await desk.visitor()
    await desk.chats.ask(session)
    stranger = replace(desk.ann, workspace_id=uuid4())
    for actor, conversation_id in ((stranger, session.conversation_id), (desk.ann, uuid4())):
        with pytest.raises(NotFound):
            await act(desk.chats, actor, conversation_id)
    assert await desk.chats.open_chats(stranger) == []
    assert (await desk.chats.poll(session, 0)).chat.state is LiveState.WAITING


async def test_another_visitor_never_sees_it(desk: Desk) -> None:
    session, other = await desk.visitor(), await desk.visitor()
    await desk.chats.ask(session)
    crossed = replace(other, conversation_id=session.conversation_id)
    for attempt in (desk.chats.poll(crossed, 0), desk.say(crossed, "Hello?"), desk.chats.leave(crossed)):
        with pytest.raises(NotFound):
            await attempt
    assert (await desk.chats.poll(other, 0)).chat.state is LiveState.NONE

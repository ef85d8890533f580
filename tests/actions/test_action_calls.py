"""What is called, with what, and what comes back of it."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from app.actions.action import Action, ActionHosts, ActionMethod
from app.actions.action_calls import CALLS_A_MINUTE, MAX_CALLS, ActionCalls, AnswerActions, CountedCaller
from app.actions.records import ActionRecords
from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.answers.offered_actions import CallOutcome
from app.conversations.records.conversations import ConversationRecords
from app.core.turn import VisitorSession
from app.core.visitor_attribute import VisitorAttribute
from app.providers.chat.chat_model import ToolCall
from app.providers.http_caller import CallFailed, HttpReply
from app.store.system_of_record import SystemOfRecord
from app.store.tables.conversations import OUTBOX
from app.workspaces.records.tokens import TokenRecords
from tests.actions.test_action import ACTION
from tests.doubles.counting_rate_limiter import CountingRateLimiter
from tests.doubles.shop_api import SHOP, SHOP_HOST, ShopApi
from tests.doubles.temporary_record import temporary_record

ANN, BOB = CountedCaller("ann"), CountedCaller("bob")
ASKED = ToolCall("order_status", '{"order": "A-17"}')


@dataclass
class Room:
    record: SystemOfRecord
    shop: ShopApi
    calls: ActionCalls
    workspace_id: UUID
    agent_id: UUID
    heard: list[CallOutcome]

    def add(self, action: Action = ACTION, **headers: str) -> Action:
        with self.record.writing() as tx:
            return ActionRecords(tx).create(replace(action, id=uuid4(), agent_id=self.agent_id), headers)

    def visitor(self, user_id: str | None = None, *attributes: VisitorAttribute) -> UUID:
        with self.record.writing() as tx:
            records = ConversationRecords(tx)
            named = records.signed_visitor(self.agent_id, user_id) if user_id else records.new_visitor(self.agent_id)
            records.add_attributes(named, attributes)
            return named.id

    def session(self, visitor_id: UUID) -> VisitorSession:
        return VisitorSession(self.workspace_id, self.agent_id, visitor_id, uuid4())

    async def offered(self, visitor_id: UUID | None = None) -> AnswerActions | None:
        session = self.session(visitor_id) if visitor_id else None
        return await self.calls.for_answer(self.workspace_id, self.agent_id, session)


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with temporary_record(tmp_path) as record:
        with record.writing() as tx:
            workspace_id = TokenRecords(tx).default_workspace()
            agent = AgentRecords(tx).create(workspace_id, AgentConfig(name="Shop"))
        shop, heard = ShopApi(), list[CallOutcome]()
        calls = ActionCalls(record, shop, CountingRateLimiter(), ActionHosts((SHOP_HOST,)), heard.append)
        yield Room(record, shop, calls, workspace_id, agent.id, heard)


async def test_a_call_carries_its_arguments_and_its_secret_headers(room: Room) -> None:
    room.add(Authorization="Bearer opensesame")
    actions = await room.offered()
    assert actions is not None
    [called] = await actions.run([ASKED])
    assert (called.outcome, called.text) == (CallOutcome.ANSWERED, "order.status: shipped")
    [asked] = room.shop.asked
    assert (asked.method, asked.url, asked.body) == ("GET", f"{SHOP}/orders/A-17", None)
    assert asked.headers["Authorization"] == "Bearer opensesame"
    assert room.heard == [CallOutcome.ANSWERED]
    assert "opensesame" not in json.dumps(actions.trace)


async def test_what_has_no_place_in_the_address_goes_into_the_query_or_the_body(room: Room) -> None:
    url, parameters = f"{SHOP}/search?shop=main", {"type": "object", "properties": {"q": {"type": "string"}}}
    room.shop.replies["/search"] = "found"
    room.add(replace(ACTION, name="look", url=url, parameters=parameters, fixed={"market": "n&o"}))
    post = replace(ACTION, name="ask", url=url, parameters=parameters, fixed={"market": "no"}, method=ActionMethod.POST)
    room.add(post)
    actions = await room.offered()
    assert actions is not None
    await actions.run([ToolCall("look", '{"q": "a/b ?#ø"}'), ToolCall("ask", '{"q": "x"}')])
    look, ask = sorted(room.shop.asked, key=lambda each: each.method)  # they are made side by side
    assert look.url == f"{SHOP}/search?shop=main&market=n%26o&q=a%2Fb%20%3F%23%C3%B8"
    assert (ask.url, json.loads(ask.body or b"")) == (url, {"q": "x", "market": "no"})


async def test_nothing_is_offered_that_is_off_or_whose_host_is_not_allowed(room: Room) -> None:
    room.add(replace(ACTION, is_on=False))
    room.add(replace(ACTION, name="elsewhere", url="https://other.example/{order}"))
    assert await room.offered() is None
    calls = ActionCalls(room.record, room.shop, CountingRateLimiter(), ActionHosts())
    room.add(replace(ACTION, name="other"))
    assert await calls.for_answer(room.workspace_id, room.agent_id, None) is None


async def test_what_the_website_has_signed_is_filled_in_and_nothing_else(room: Room) -> None:
    fixed = {"customer": "{{visitor.id}}", "plan": "{{visitor.plan}}"}
    room.add(replace(ACTION, fixed=fixed, url=f"{SHOP}/orders/{{order}}?customer={{customer}}"))
    plain, signed = VisitorAttribute("plan", "gold", False), VisitorAttribute("plan", "pro", True)
    assert await room.offered() is None
    assert await room.offered(room.visitor()) is None
    assert await room.offered(room.visitor("bob", plain)) is None
    actions = await room.offered(room.visitor("ann&role=admin", signed))
    assert actions is not None
    assert "customer" not in json.dumps(actions.tools[0].parameters)
    await actions.run([ASKED])
    assert [each.url for each in room.shop.asked] == [f"{SHOP}/orders/A-17?customer=ann%26role%3Dadmin&plan=pro"]
    [refused] = await actions.run([ToolCall("order_status", '{"order": "A-17", "customer": "bob"}')])
    assert refused.outcome is CallOutcome.REFUSED


async def test_so_many_calls_are_made_for_an_answer_each_once_and_none_that_was_not_offered(room: Room) -> None:
    room.add()
    actions = await room.offered()
    assert actions is not None
    wanted = [ASKED, ASKED, ToolCall("drop_tables", "{}")]
    wanted += [ToolCall("order_status", f'{{"order": "{number}"}}') for number in range(20)]
    called = await actions.run(wanted)
    assert len(called) == len(room.shop.asked) == MAX_CALLS
    assert actions.trace[-1] == {"outcome": "not called", "calls": len(wanted) - MAX_CALLS}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (HttpReply(302, b""), "it answered with status 302"),
        (HttpReply(500, b'{"error": "key opensesame is wrong"}'), "it answered with status 500"),
        (HttpReply(200, b""), "the reply is empty"),
        (CallFailed("nothing can be called there: it is private"), "nothing can be called there: it is private"),
    ],
)
async def test_a_call_in_vain_says_why_in_our_words(room: Room, reply: object, words: str) -> None:
    room.shop.replies["/orders/A-17"] = reply
    room.add()
    actions = await room.offered()
    assert actions is not None
    [called] = await actions.run([ASKED])
    assert (called.outcome, called.text) == (CallOutcome.FAILED, words)
    assert len(room.shop.asked) == 1


async def test_one_that_says_nothing_is_left(room: Room) -> None:
    room.shop.replies["/orders/A-17"] = None
    room.add(replace(ACTION, timeout_seconds=0))
    actions = await room.offered()
    assert actions is not None
    [called] = await actions.run([ASKED])
    assert (called.outcome, called.text) == (CallOutcome.FAILED, "no answer within 0 s")


async def test_calls_are_counted_by_visitor_and_by_day(room: Room) -> None:
    daily, more = room.add(replace(ACTION, daily_calls=1)), room.add(replace(ACTION, name="other"))
    outcomes = [(await room.calls.call(room.workspace_id, daily, {"order": "A-17"}, {}, ANN)).outcome for _ in range(2)]
    assert outcomes == [CallOutcome.ANSWERED, CallOutcome.LIMITED]
    for _ in range(CALLS_A_MINUTE - 2):
        await room.calls.call(room.workspace_id, more, {"order": "A-17"}, {}, ANN)
    assert (await room.calls.call(room.workspace_id, more, {"order": "A-17"}, {}, ANN)).outcome is CallOutcome.LIMITED
    assert (await room.calls.call(room.workspace_id, more, {"order": "A-17"}, {}, BOB)).outcome is (
        CallOutcome.ANSWERED
    )


async def outcomes(room: Room, action: Action, network: str, times: int) -> list[CallOutcome]:
    """Of calls by as many visitors."""
    who = [CountedCaller(str(uuid4()), network) for _ in range(times)]
    return [(await room.calls.call(room.workspace_id, action, {"order": "A-17"}, {}, each)).outcome for each in who]


async def test_one_network_gets_a_quarter_of_the_days_calls_whoever_asks_from_it(room: Room) -> None:
    action = room.add(replace(ACTION, daily_calls=40))
    greedy = await outcomes(room, action, "198.51.100.0/24", 40)
    assert greedy == [CallOutcome.ANSWERED] * 10 + [CallOutcome.LIMITED] * 30
    assert await outcomes(room, action, "203.0.113.0/24", 1) == [CallOutcome.ANSWERED]
    assert await outcomes(room, action, "", 29) == [CallOutcome.ANSWERED] * 29, "operators have no share"
    assert await outcomes(room, action, "192.0.2.0/24", 1) == [CallOutcome.LIMITED]


async def test_even_one_call_a_day_is_made(room: Room) -> None:
    action = room.add(replace(ACTION, daily_calls=1))
    assert await outcomes(room, action, "198.51.100.0/24", 2) == [CallOutcome.ANSWERED, CallOutcome.LIMITED]


async def test_operators_are_told_once_when_four_fifths_of_the_days_calls_are_made(room: Room) -> None:
    action = room.add(replace(ACTION, daily_calls=10))
    await outcomes(room, action, "", 7)
    assert announced(room) == []
    await outcomes(room, action, "", 5)
    assert announced(room) == [{"action_id": str(action.id), "title": action.title, "daily_calls": 10}]


def announced(room: Room) -> list[object]:
    with room.record.reading() as tx:
        return [each.payload for each in tx.connection.execute(select(OUTBOX)) if each.kind == "action.limit_near"]


async def test_one_that_was_deleted_meanwhile_is_not_called(room: Room) -> None:
    action = room.add()
    actions = await room.offered()
    with room.record.writing() as tx:
        ActionRecords(tx).delete(room.agent_id, action.id)
    assert actions is not None
    [called] = await actions.run([ASKED])
    assert called.outcome is CallOutcome.FAILED
    assert room.shop.asked == []

"""The inbox stays quick as the record grows: what a look costs is counted in steps of SQLite's own machine."""

import sqlite3
from collections import defaultdict
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, insert

from app.agents.agent import Agent
from app.conversations.conversation import ConversationFilter, ConversationState, Outcome
from app.conversations.records.inbox import InboxRecords
from app.core.list_page import PageRequest
from app.store.schema import new_id
from app.store.system_of_record import SystemOfRecord, Transaction
from app.store.tables.conversations import CONVERSATION_LABELS, CONVERSATIONS, TURNS, VISITORS
from tests.doubles.fixed_clock import FixedClock

FEW, MANY = 500, 5_000
ANN = "ann@example.com"


def fill(tx: Transaction, agent: UUID, clock: FixedClock, count: int) -> UUID:
    """So many conversations of one turn each, of which every hundredth is Ann's and labelled; return a visitor."""
    visitors: list[dict[str, Any]] = []
    conversations: list[dict[str, Any]] = []
    turns: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    for number in range(count):
        at = clock.now() + timedelta(seconds=number)
        visitor, conversation, is_anns = new_id(), new_id(), number % 100 == 0
        visitors.append(
            {"id": visitor, "agent_id": agent, "anonymous_id": uuid4(), "created_at": at, "user_id": str(visitor)}
        )
        conversations.append(
            {"id": conversation, "agent_id": agent, "visitor_id": visitor, "channel": "widget", "turn_count": 1}
            | {"first_question": "Q", "created_at": at, "last_active_at": at, "assignee": ANN if is_anns else ""}
        )
        turns.append(
            {"id": uuid4(), "conversation_id": conversation, "visitor_id": visitor, "agent_id": agent, "position": 1}
            | {"agent_version": 1, "page_url": "https://www.example.com/", "fingerprint": "f", "state": "done"}
            | {"owner": "", "answered_by": "model", "created_at": at, "low_confidence": number % 2 == 0}
        )
        if is_anns:
            labels.append({"agent_id": agent, "conversation_id": conversation, "label": "VIP"})
    for table, rows in (
        (VISITORS, visitors),
        (CONVERSATIONS, conversations),
        (TURNS, turns),
        (CONVERSATION_LABELS, labels),
    ):
        tx.connection.execute(insert(table), rows)
    found: UUID = visitors[0]["id"]
    return found


def steps(connection: Connection, look: Any) -> int:
    """What SQLite's virtual machine does meanwhile, in hundreds."""
    counted = 0

    def count() -> int:
        nonlocal counted
        counted += 1
        return 0

    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    driver.set_progress_handler(count, 100)
    look()
    driver.set_progress_handler(None, 0)
    return counted


async def test_a_page_of_the_inbox_costs_no_more_in_a_long_record(
    record: SystemOfRecord, agent: Agent, clock: FixedClock
) -> None:
    cost: dict[str, list[int]] = defaultdict(list)
    for count in (FEW, MANY):
        with record.writing() as tx:
            if tx.connection.dialect.name != "sqlite":
                pytest.skip("Postgres counts otherwise")
            visitor = fill(tx, agent.id, clock, count)
        clock.advance(MANY)
        looks = {
            "all": ConversationFilter(),
            "open": ConversationFilter(state=ConversationState.OPEN),
            "unsure": ConversationFilter(is_low=True),
            "answered": ConversationFilter(outcome=Outcome.ANSWERED),
            "Ann's": ConversationFilter(assignee=ANN, label="VIP"),
            "of one visitor": ConversationFilter(visitor_id=visitor),
            "of one who is named": ConversationFilter(user_id=str(visitor)),
        }
        with record.reading() as tx:
            for name, wanted in looks.items():
                look = partial(InboxRecords(tx).page, agent.id, PageRequest(5), wanted)
                cost[name].append(steps(tx.connection, look))
    assert {name: (few, many) for name, (few, many) in cost.items() if many > few * 1.5 + 3} == {}

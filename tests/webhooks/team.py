"""People who want to hear of what visitors do."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.agents.records import AgentRecords
from app.core.actor import READ, WRITE, Actor
from app.core.turn import GapReason, VisitorSession
from app.kit.cache import MemoryCache
from app.live_chat.live_chats import LiveChats, LiveSigns
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.recording_history import RecordingHistory
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import visitor_of, visitor_of_new_agent
from tests.store.sample_rows import ask


@dataclass
class Team:
    """`session` is that of a visitor of their agent, which has live chat."""

    record: SystemOfRecord
    clock: FixedClock
    session: VisitorSession

    @property
    def actor(self) -> Actor:
        return Actor(self.session.workspace_id, "ann@example.com", frozenset((READ, WRITE)))

    @property
    def live_chats(self) -> LiveChats:
        return LiveChats(self.record, self.clock, RecordingHistory(), LiveSigns(MemoryCache()))

    async def visitor_asks_for_a_person(self) -> None:
        await self.live_chats.ask(self.session)

    async def asked_in_vain(self, question: str) -> None:
        session = await visitor_of(self.record, self.session.workspace_id, self.session.agent_id)
        await ask(self.record, session, question, gap=GapReason.LOW_CONFIDENCE)


@asynccontextmanager
async def open_team(folder: Path, **settings: Any) -> AsyncIterator[Team]:
    """Over a record of its own; `settings` are those of the agent."""
    clock = FixedClock()
    async with temporary_record(folder, clock) as record:
        session = await visitor_of_new_agent(record)
        with record.writing() as tx:
            agent = AgentRecords(tx).agent(session.workspace_id, session.agent_id)
            draft = replace(agent.draft, live_chat=True, **settings)
            AgentRecords(tx).save_draft(agent.workspace_id, agent.id, draft)
            AgentRecords(tx).publish(agent.workspace_id, agent.id)
        yield Team(record, clock, session)

"""A workspace at a glance, for its operators: each figure is worked out where its subject is at home."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from app.agents.agent import Agent
from app.agents.records.agents import AgentRecords, MilestoneRecords
from app.agents.set_up import Milestones, SetUp, is_new, set_up
from app.conversations.conversation import RESUME_WITHIN
from app.conversations.people.live_chat import LiveState
from app.conversations.people.records.live_chats import LiveChatRecords
from app.conversations.token_budgets import TokenBudgets
from app.core.actor import Actor
from app.core.gap_state import GapState
from app.core.list_page import PageRequest
from app.gaps.records.gaps import GapRecords
from app.gaps.records.triage import GapTriageRecords
from app.kit.clock import Clock
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.overview.overview import (
    LISTED,
    UNFINISHED_AFTER,
    WEEK_DAYS,
    AgentCounts,
    Change,
    ChangeKind,
    DayCounts,
    Overview,
)
from app.quality.quality import TurnCounts, total
from app.quality.records.quality import QualityRecords
from app.sources.deletions.records import DeletionRecords
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import LatestReading, RunState
from app.store.system_of_record import SystemOfRecord, Transaction

MOST_AGENTS: Final = 200  # the oldest
_NONE: Final = TurnCounts()


class Overviews:
    def __init__(self, records: SystemOfRecord, clock: Clock, budgets: TokenBudgets) -> None:
        self._records = records
        self._clock = clock
        self._budgets = budgets

    async def of(self, actor: Actor) -> Overview:
        """Of the actor's workspace, its first MOST_AGENTS agents."""
        now, own = self._clock.now(), actor.workspace_id
        first = now.date() - timedelta(days=2 * WEEK_DAYS - 1)
        budgets = await self._budgets.bounded(actor)

        def work(tx: Transaction) -> Overview:
            agents = AgentRecords(tx).page(own, PageRequest(MOST_AGENTS)).items
            ids = [agent.id for agent in agents]
            asked = QualityRecords(tx).days(ids, first, 2 * WEEK_DAYS)
            of_days = [total(days) for days in zip(*asked.values(), strict=True)] or [_NONE] * 2 * WEEK_DAYS
            active_since = now - RESUME_WITHIN
            chats = LiveChatRecords(tx).open_chats(own, active_since, LISTED)
            readings = CrawlRunRecords(tx).latest_of_workspace(own)
            return Overview(
                as_of=now,
                agents=[
                    AgentCounts(
                        agent,
                        total(asked[agent.id][-1:]),
                        total(asked[agent.id][WEEK_DAYS:]),
                        budgets.get(agent.id),
                    )
                    for agent in agents
                ],
                days=[
                    DayCounts(first + timedelta(days=number), of_days[number])
                    for number in range(WEEK_DAYS, 2 * WEEK_DAYS)
                ],
                week=total(of_days[WEEK_DAYS:]),
                week_before=total(of_days[:WEEK_DAYS]),
                waiting=[each for each in chats if each.chat.state is LiveState.WAITING],
                waiting_count=LiveChatRecords(tx).waiting_count(own, active_since),
                failing=[each for each in readings if each.state is RunState.FAILED][:LISTED],
                unfinished=DeletionRecords(tx).unfinished(own, now - UNFINISHED_AFTER, LISTED),
                growing=GapTriageRecords(tx).growing(own, LISTED),
                assigned=GapRecords(tx).assigned(own, actor.address, LISTED) if actor.address else [],
                changes=self._changes(tx, own, readings),
                set_ups=self._set_ups(tx, agents),
            )

        return await self._records.of_workspace(actor.workspace_id).read(work)

    def _set_ups(self, tx: Transaction, agents: Sequence[Agent]) -> list[SetUp]:
        milestones = MilestoneRecords(tx).of_agents([agent.id for agent in agents])
        now, none = self._clock.now(), Milestones()
        new = [agent for agent in reversed(agents) if is_new(agent, milestones.get(agent.id, none), now)][:LISTED]
        return [
            set_up(
                agent,
                None if agent.live_version is None else AgentRecords(tx).live(agent.id).config,
                LiveDocumentRecords(tx).counts(agent.id)[0],
                milestones.get(agent.id, none),
            )
            for agent in new
        ]

    def _changes(self, tx: Transaction, workspace_id: UUID, readings: Sequence[LatestReading]) -> list[Change]:
        since = self._clock.now() - timedelta(days=WEEK_DAYS)
        published = AgentRecords(tx).published_since(workspace_id, since, LISTED)
        changes = [
            Change(
                ChangeKind.PUBLISHED,
                each.published_at,
                each.agent_id,
                each.agent_id,
                f"{each.config.name}, version {each.number}",
            )
            for each in published
        ]
        changes += [
            Change(ChangeKind.READ, each.ended_at, each.agent_id, each.source_id, each.name)
            for each in readings
            if each.state is RunState.FINISHED and each.ended_at is not None and each.ended_at >= since
        ]
        for kind, state in ((ChangeKind.GAP_ANSWERED, GapState.ANSWERED), (ChangeKind.GAP_REOPENED, GapState.OPEN)):
            changes += [
                Change(kind, at, gap.agent_id, gap.id, gap.question)
                for gap, at in GapRecords(tx).turned(workspace_id, state, since, LISTED)
            ]
        return sorted(changes, key=lambda change: change.at, reverse=True)[:LISTED]

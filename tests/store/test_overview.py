"""A workspace at a glance, asked of either database."""

from uuid import UUID

from app.agents.token_budget import UNLIMITED
from app.conversations.records.live_chats import LiveChatRecords
from app.conversations.records.stored_turns import StoredTurnRecords
from app.conversations.records.turns import TurnRecords
from app.conversations.token_budgets import TokenBudgets
from app.core.actor import READ, Actor
from app.core.costs import TokenPrices
from app.core.turn import GapReason, VisitorSession
from app.overview.overview import Overviews
from app.quality.quality import TurnCounts
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import RunState, Source
from app.store.system_of_record import SystemOfRecord
from app.store.transaction import Transaction
from tests.doubles.fixed_clock import FixedClock
from tests.store.sample_rows import ask


async def test_it_says_what_is_there(
    record: SystemOfRecord, clock: FixedClock, workspace_id: UUID, session: VisitorSession, source: Source
) -> None:
    turn = await ask(record, session, "Do you ship to Malta?", gap=GapReason.LOW_CONFIDENCE)

    def more(tx: Transaction) -> None:
        TurnRecords(tx).feedback(session, turn, "down", "")
        LiveChatRecords(tx).ask(session)
        run = CrawlRunRecords(tx).start_run(source.agent_id, source.id)
        CrawlRunRecords(tx).set_run_state(run.id, RunState.FAILED, "It does not answer.")

    await record.write(more)
    actor = Actor(workspace_id, "ann", frozenset((READ,)))
    seen = await Overviews(record, clock, TokenBudgets(record, TokenPrices(), UNLIMITED)).overview(actor)
    assert seen.week == seen.today == TurnCounts(1, handed_over=1, thumbs_down=1)
    assert [gap.question for gap in seen.growing] == ["Do you ship to Malta?"]
    assert [(failing.name, failing.stop_reason) for failing in seen.failing] == [("Docs", "It does not answer.")]
    assert (seen.waiting_count, len(seen.waiting), [each.agent.id for each in seen.set_ups]) == (
        1,
        1,
        [session.agent_id],
    )
    assert await record.read(lambda tx: StoredTurnRecords(tx).moved_at(workspace_id)) == clock.now()

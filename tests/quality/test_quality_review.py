"""What turns, thumbs and citations say of an agent, day by day."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from app.conversations.records.turns import TurnRecords
from app.core.actor import READ, Actor
from app.core.errors import InvalidInput
from app.core.turn import AnsweredBy, Citation, GapReason, TurnState
from app.quality.quality import DayQuality, PageCitations
from app.quality.quality_review import QualityReview
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import visitor_of_new_agent
from tests.store.sample_rows import a_page, add_live, ask

DAY = 24 * 3600
SITE = "https://docs.example"


def cites(*paths: str) -> tuple[Citation, ...]:
    return tuple(Citation(number, f"{SITE}{path}", "Page", None) for number, path in enumerate(paths, start=1))


async def test_days_and_pages(tmp_path: Path) -> None:
    clock = FixedClock(datetime(2026, 1, 1, 23, 0, tzinfo=UTC))
    async with temporary_record(tmp_path, clock) as record:
        session = await visitor_of_new_agent(record)
        with record.writing() as tx:
            source = SourceRecords(tx).create(session.agent_id, SourceConfig(kinds.SITE, "Docs", SITE))
        for path in ("/a", "/b", "/c"):
            await add_live(record, source, a_page(f"{SITE}{path}", f"Text of {path}"))
        first = await ask(record, session, "One?", citations=cites("/a#x", "/a#y", "/b"), first_token_ms=100)
        with record.writing() as tx:
            TurnRecords(tx).feedback(session, first, "up", "")
        clock.advance(2 * DAY)
        for ms in range(200, 220):
            await ask(record, session, f"{ms}?", citations=cites("/a"), first_token_ms=ms)
        await ask(record, session, "Unsure?", gap=GapReason.LOW_CONFIDENCE, citations=())
        await ask(record, session, "Broken?", state=TurnState.FAILED, citations=())
        await ask(record, session, "A human, please", answered_by=AnsweredBy.HANDOFF, citations=(), first_token_ms=1)
        review, actor = QualityReview(record, clock), Actor(session.workspace_id, "ann", frozenset((READ,)))
        quality = await review.quality(actor, session.agent_id, 3)
        assert quality.days == (
            DayQuality(1, 1, thumbs_up=1, day=date(2026, 1, 1), first_token_p50=100, first_token_p95=100),
            DayQuality(day=date(2026, 1, 2)),
            DayQuality(23, 20, 1, 1, 1, day=date(2026, 1, 3), first_token_p50=209, first_token_p95=218),
        )
        assert quality.top_pages == (PageCitations(f"{SITE}/a", "Page", 22), PageCitations(f"{SITE}/b", "Page", 1))
        assert [page.url for page in quality.never_cited] == [f"{SITE}/c"]
        assert (quality.never_cited_count, quality.live_pages) == (1, 3)
        assert (await review.quality(actor, session.agent_id, 1)).never_cited_count == 2
        for days in (0, 91):
            with pytest.raises(InvalidInput, match="days"):
                await review.quality(actor, session.agent_id, days)

"""The curve is drawn from stored turns and the latest golden run of the draft."""

from pathlib import Path
from uuid import uuid4

from app.agents.agent import AgentConfig
from app.agents.model_endpoints import NO_NAMES
from app.agents.records import AgentRecords
from app.core.actor import READ, WRITE, Actor
from app.quality.golden_question import GoldenQuestion
from app.quality.golden_runs import GoldenRuns
from app.quality.quality_review import ThresholdCurves
from app.quality.records.golden_questions import GoldenQuestionRecords
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.namesake_searches import NamesakeSearches
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import visitor_of
from tests.store.sample_rows import ask


async def test_turns_of_the_last_month_and_the_drafts_latest_run(tmp_path: Path) -> None:
    clock = FixedClock()
    async with temporary_record(tmp_path, clock) as record:
        with record.writing() as tx:
            workspace = TokenRecords(tx).default_workspace()
            agent = AgentRecords(tx).create(workspace, AgentConfig(name="Docs", confidence_threshold=0.6))
            GoldenQuestionRecords(tx).put(
                GoldenQuestion(uuid4(), agent.id, "prices?", ("https://www.example.com/prices",))
            )
        session = await visitor_of(record, workspace, agent.id)
        actor = Actor(workspace, "ann", frozenset((READ, WRITE)))
        await ask(record, session, "Long ago?", trace={"ranked": [{"calibrated": 0.99}]})
        clock.advance(31 * 24 * 3600)
        await ask(record, session, "Close?", trace={"ranked": [{"calibrated": 0.45}, {"calibrated": 0.35}]})
        await GoldenRuns(record, NamesakeSearches(), clock, NO_NAMES).run(actor, agent.id)
        curve = await ThresholdCurves(record, clock).curve(actor, agent.id)
    assert (curve.turns, curve.golden_questions, curve.current) == (1, 1, 0.6)
    assert [point.threshold for point in curve.points if point.answered == 1.0][-1] == 0.45
    assert [point.threshold for point in curve.points if point.golden_right == 1.0][-1] == 0.9

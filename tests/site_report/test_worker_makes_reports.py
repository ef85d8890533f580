"""What a worker makes of an order, over the demonstration site: the same as `docent report` and `docent import`."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from app.answers.playground import Quotes
from app.bootstrap.answering import open_playground
from app.bootstrap.infrastructure import Infrastructure, open_infrastructure
from app.cli.local_operator import known_agents, local_operator
from app.core.actor import Actor
from app.core.errors import InvalidInput, NotFound
from app.kit.pattern_matcher import PatternMatcher
from app.past_questions import past_imports
from app.past_questions.exports import Export
from app.past_questions.kept_questions import Kept
from app.past_questions.past_imports import PastImports, PastReplays
from app.settings import read_settings
from app.site_report.ordered_report import OrderedReport, ReportKind
from app.site_report.report_orders import ReportMaker, ReportOrders
from app.site_report.site_reports import SiteReports, WebsiteReports
from app.sources.records import SourceRecords
from app.sources.runs.page_scope import PageScope
from app.sources.source import Source
from app.sources.sources import Sources
from tests.cli.test_past_questions import NEVER, QUESTIONS, RENT, WARRANTY, data
from tests.doubles.recording_job_queue import RecordingJobQueue

__all__ = ["data"]


@dataclass
class Installation:
    """A chat model is set, and is nowhere."""

    base: Infrastructure
    actor: Actor
    source: Source

    @property
    def orders(self) -> ReportOrders:
        return ReportOrders(self.base.record, self.base.clock)

    @property
    def reports(self) -> WebsiteReports:
        return WebsiteReports(Sources(self.base.record, RecordingJobQueue(), PageScope()), self.orders)

    async def made(self, kind: ReportKind) -> OrderedReport:
        async with open_playground(self.base, has_models=False) as quotes:
            base, parts = self.base, Quotes(quotes)
            makers: dict[ReportKind, ReportMaker] = {
                ReportKind.WEBSITE: SiteReports(base.record, parts, base.clock),
                ReportKind.CONVERSATIONS: PastReplays(
                    base.record, base.clock, parts, base.models.questions, PatternMatcher()
                ),
            }
            assert await makers[kind].make_due() == 1
        return await self.orders.report(self.actor, self.source.agent_id, kind)


@pytest.fixture
async def installation(data: Path) -> AsyncIterator[Installation]:
    models = {"model_url": NEVER["DOCENT_MODEL_URL"], "model_name": NEVER["DOCENT_MODEL_NAME"]}
    async with open_infrastructure(read_settings(data=data, **models)) as base:
        actor = await local_operator(base)
        [agent] = await known_agents(base, actor)
        [source] = await base.record.of_workspace(actor.workspace_id).read(
            lambda tx: SourceRecords(tx).sources(agent.id)
        )
        yield Installation(base, actor, source)


async def test_a_report_says_what_the_pages_answer(installation: Installation) -> None:
    source = installation.source
    await installation.reports.order(
        installation.actor, source.agent_id, source.id, f"{WARRANTY}\nwhat is the capital of mongolia\n"
    )
    report = await installation.made(ReportKind.WEBSITE)
    assert report.result is not None, report.problem
    shares = report.result["shares"]
    assert shares["made"]["answered"]["count"] >= 0.9 * shares["made"]["answered"]["of"] > 40
    assert (shares["given"]["answered"]["count"], shares["given"]["withheld"]["count"]) == (1, 1)
    assert report.asked == report.questions == shares["made"]["answered"]["of"] + 2
    assert "what is the capital of mongolia" in report.page
    assert "<script" not in report.page


async def test_past_conversations_are_asked_and_kept_of(installation: Installation) -> None:
    agent_id = installation.source.agent_id
    ordered = await PastImports(installation.orders).order(
        installation.actor, agent_id, Export.CSV, QUESTIONS, Kept(gaps=True, golden=True)
    )
    assert "anna@example.org" not in json.dumps(ordered.wanted)
    report = await installation.made(ReportKind.CONVERSATIONS)
    assert report.result is not None, report.problem
    assert (report.result["conversations"], report.result["questions"]) == (6, 5)
    assert report.result["answered"]["count"] == 2
    assert [(each["question"], each["count"], each["is_answered"]) for each in report.result["groups"]] == [
        (RENT, 3, False),
        (WARRANTY, 2, True),
    ]
    assert report.result["added"] == {"questions_of_gaps": 3, "golden_questions": 1}
    assert report.result["unanswered_groups"] == 1


async def test_an_export_that_takes_long_to_read_ends_and_holds_up_no_question(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past_imports, "_READING_SECONDS", 1.0)
    text = json.dumps([{"id": 1, "source": {"author": {"type": "user"}, "body": "<p>Is it?" * 500_000}}])
    imports = PastImports(installation.orders)
    with pytest.raises(InvalidInput, match="took longer than 1 s"):
        await imports.order(installation.actor, installation.source.agent_id, Export.INTERCOM, text, Kept())


async def test_what_is_no_export_or_has_not_been_read_is_refused(installation: Installation) -> None:
    actor, source = installation.actor, installation.source
    with pytest.raises(InvalidInput, match="not an export of zendesk"):
        await PastImports(installation.orders).order(actor, source.agent_id, Export.ZENDESK, "{", Kept())
    with pytest.raises(InvalidInput, match="top"):
        await PastImports(installation.orders).order(actor, source.agent_id, Export.CSV, QUESTIONS, Kept(top=0))
    with pytest.raises(NotFound):
        await installation.reports.order(actor, uuid4(), source.id, "")
    await Sources(installation.base.record, RecordingJobQueue(), PageScope()).sync(actor, source.id)
    with pytest.raises(InvalidInput, match="Read it first"):
        await installation.reports.order(actor, source.agent_id, source.id, "")

"""The operator's loop: what visitors asked in vain is one gap, is fixed, is shown to be fixed, and opens again when the
fix is lost."""

import sqlite3
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import pytest

from app.agents.records import AgentRecords
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.records import CuratedAnswerRecords
from app.core.actor import READ, WRITE, Actor
from app.core.list_page import PageRequest
from app.core.turn import AnsweredBy, GapReason, GapState
from app.core.turn_events import Done
from app.gaps.gap import Gap
from app.gaps.gap_clustering import GapClustering
from app.gaps.gap_replays import GapReplays, TrialAnswers
from app.gaps.records.gaps import GapRecords
from app.kit.language_guesser import LanguageGuesser
from app.sources.runs.records.crawl_runs import CrawlRunRecords
from app.sources.source import RunState
from tests.doubles.answering_house import SITE, AnsweringHouse, answering_house

CHESS = "Who won the chess championship?"
CHESS_TOO = "The chess championship, who won?"
SINCE = "Asked in vain again after its questions had been answered."
CHESS_PAGE = "# Chess\n\nAda won the chess championship. The chess championship was played in Oslo, and Ada won it."
OTHER_PAGE = "# Chess\n\nThis part of the website is being written."


@dataclass
class Loop:
    house: AnsweringHouse
    clustering: GapClustering
    replays: GapReplays
    operator: Actor
    folder: Path

    async def ask(self, message: str) -> Done:
        [*_, done] = await self.house.ask(message)
        assert isinstance(done, Done)
        return done

    async def gaps(self) -> list[Gap]:
        return await self.house.record.read(
            lambda tx: list(GapRecords(tx).page(self.house.agent_id, None, PageRequest()).items)
        )

    async def one_gap_from_two_wordings(self) -> Gap:
        for message in (CHESS, CHESS_TOO):
            assert (await self.ask(message)).low_confidence
        await self.clustering.place()
        [gap] = await self.gaps()
        assert (gap.count, gap.state) == (2, GapState.OPEN)
        return gap

    async def write_answer(self) -> None:
        pattern = "won the chess championship\nchess championship who won"
        answer = CuratedAnswer(uuid4(), self.house.agent_id, Trigger.ANY_OF, pattern, "Ada won it.")
        await self.house.record.write(lambda tx: CuratedAnswerRecords(tx).create(answer))

    def rows(self) -> dict[str, int]:
        connection = sqlite3.connect(self.folder / "docent.sqlite")
        tables = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
        counted = {table: connection.execute(f'select count(*) from "{table}"').fetchone()[0] for table in tables}
        connection.close()
        return counted


@pytest.fixture
async def loop(tmp_path: Path) -> AsyncIterator[Loop]:
    async with answering_house(tmp_path) as house:
        yield Loop(
            house,
            GapClustering(house.record, house.embedder, LanguageGuesser()),
            GapReplays(house.record, TrialAnswers(house.answering.playground), None),
            Actor(house.workspace_id, "ann", frozenset((READ, WRITE))),
            tmp_path,
        )


async def test_a_written_answer_closes_a_gap_of_two_wordings(loop: Loop) -> None:
    gap = await loop.one_gap_from_two_wordings()
    before = await loop.replays.resolve(loop.operator, gap.id)
    assert (before.passes, (await loop.gaps())[0].state) == (False, GapState.OPEN)
    assert {question.before.question for question in before.questions} == {CHESS, CHESS_TOO}
    assert {question.after.gap for question in before.questions} == {GapReason.LOW_CONFIDENCE}

    await loop.write_answer()
    shown = await loop.replays.replay(loop.operator, gap.id)
    assert (shown.passes, (await loop.gaps())[0].state) == (True, GapState.OPEN)
    assert {question.after.answered_by for question in shown.questions} == {AnsweredBy.CURATED}

    closed = await loop.replays.resolve(loop.operator, gap.id, "Wrote it down.")
    assert (closed.gap.state, closed.gap.note) == (GapState.ANSWERED, "Wrote it down.")
    assert (await loop.ask(CHESS)).answered_by is AnsweredBy.CURATED
    assert [(gap.state, gap.count) for gap in await loop.gaps()] == [(GapState.ANSWERED, 2)]


async def test_a_page_that_was_read_has_the_gap_proposed_for_closing(loop: Loop) -> None:
    gap = await loop.one_gap_from_two_wordings()
    assert await loop.replays.replay_due() == 0  # nothing has changed since it was asked
    await loop.house.learn("/chess", CHESS_PAGE)
    assert await loop.replays.replay_due() == 1
    assert [(gap.state, gap.count) for gap in await loop.gaps()] == [(GapState.PROPOSED, 2)]
    assert await loop.replays.replay_due() == 0

    closed = await loop.replays.resolve(loop.operator, gap.id)
    assert closed.gap.state is GapState.ANSWERED
    [first, second] = closed.questions
    assert first.after.cited == second.after.cited == (f"{SITE}/chess",)
    assert (first.before.cited, first.before.answered_by) == ((), AnsweredBy.FALLBACK)
    assert first.after.confidence > (first.before.confidence or 0)


async def test_a_page_that_does_not_help_proposes_nothing_and_is_asked_once(loop: Loop) -> None:
    await loop.one_gap_from_two_wordings()
    await loop.house.learn("/chess", OTHER_PAGE)
    assert await loop.replays.replay_due() == 1
    assert (await loop.gaps())[0].state is GapState.OPEN
    assert await loop.replays.replay_due() == 0


async def test_nothing_is_replayed_while_a_source_is_being_read(loop: Loop) -> None:
    await loop.one_gap_from_two_wordings()
    await loop.house.learn("/chess", CHESS_PAGE)
    with loop.house.record.writing() as tx:
        run = CrawlRunRecords(tx).start_run(loop.house.agent_id, loop.house.source_id)
    assert await loop.replays.replay_due() == 0
    with loop.house.record.writing() as tx:
        CrawlRunRecords(tx).set_run_state(run.id, RunState.FINISHED)
    assert await loop.replays.replay_due() == 1


async def test_a_regression_opens_the_gap_again(loop: Loop) -> None:
    gap = await loop.one_gap_from_two_wordings()
    await loop.house.learn("/chess", CHESS_PAGE)
    assert (await loop.replays.resolve(loop.operator, gap.id, "Wrote the page.")).passes
    await loop.house.learn("/chess", OTHER_PAGE)
    assert (await loop.ask(CHESS_TOO)).low_confidence
    [again] = await loop.gaps()
    assert (again.id, again.state, again.count) == (gap.id, GapState.OPEN, 3)
    assert again.note == f"Wrote the page.\n{SINCE}"


async def test_a_proposed_gap_that_is_asked_in_vain_is_open_again(loop: Loop) -> None:
    await loop.one_gap_from_two_wordings()
    await loop.house.learn("/chess", CHESS_PAGE)
    await loop.replays.replay_due()
    await loop.house.learn("/chess", OTHER_PAGE)
    await loop.ask(CHESS)
    [gap] = await loop.gaps()
    assert (gap.state, gap.count, gap.note) == (GapState.OPEN, 3, SINCE)


async def test_a_replay_leaves_no_trace(loop: Loop) -> None:
    gap = await loop.one_gap_from_two_wordings()
    await loop.write_answer()
    before = loop.rows()
    await loop.replays.replay(loop.operator, gap.id)
    await loop.house.learn("/chess", CHESS_PAGE)
    after = {table for table, count in loop.rows().items() if count != before[table]}
    assert after.isdisjoint({"conversations", "turns", "messages", "usage", "outbox", "visitors", "audit_log", "gaps"})
    with loop.house.record.reading() as tx:
        [answer] = CuratedAnswerRecords(tx).answers(loop.house.agent_id)
    assert answer.hits == 0


async def test_the_draft_is_asked_where_it_is_wanted(loop: Loop) -> None:
    gap = await loop.one_gap_from_two_wordings()
    await loop.house.learn("/chess", CHESS_PAGE)
    with loop.house.record.writing() as tx:
        agent = AgentRecords(tx).agent(loop.operator.workspace_id, loop.house.agent_id)
        strict = replace(agent.draft, confidence_threshold=1.0)
        AgentRecords(tx).save_draft(loop.operator.workspace_id, agent.id, strict)
    assert not (await loop.replays.replay(loop.operator, gap.id, "draft")).passes
    assert (await loop.replays.replay(loop.operator, gap.id, "live")).passes


async def test_a_disliked_answer_that_is_given_again_closes_nothing(loop: Loop) -> None:
    await loop.ask("How long is the warranty of a lamp?")
    turn = loop.house.sent[-1].turn_id
    await loop.house.turns.feedback(loop.house.session, turn, "down", "")
    [gap] = await loop.gaps()
    replay = await loop.replays.resolve(loop.operator, gap.id)
    assert (replay.passes, replay.questions[0].after.gap) == (False, None)
    await loop.house.learn("/warranty", "# Warranty\n\nThe warranty of a lamp is 5 years. The warranty is for a lamp.")
    assert (await loop.replays.resolve(loop.operator, gap.id)).passes

"""After a page has changed: find the answers that relied on it, ask their questions again, list the stale ones."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from anyio import to_thread

from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.records import CuratedAnswerRecords
from app.answers.playground import Playground, PlaygroundAnswer, PlaygroundQuestion
from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.errors import DocentError
from app.core.page_url import host_of, page_key
from app.core.turn import AnsweredBy
from app.kit.clock import Clock
from app.kit.pattern_matcher import PatternMatcher
from app.kit.wiring import Wired
from app.quality.golden_question import GoldenQuestion
from app.quality.records.golden_questions import GoldenQuestionRecords
from app.quality.trial_search import missing_words
from app.stale_answers.changed_page import ChangedPage, PageText
from app.stale_answers.records import ChangedPageRecords, PastAnswerRecords, StaleAnswerRecords
from app.stale_answers.stale_answer import (
    ANSWERS_STALE,
    Finding,
    PageChange,
    PastAnswer,
    StaleKind,
    StaleState,
    StaleSubject,
)
from app.store.outbox import Outbox
from app.store.system_of_record import SystemOfRecord, Transaction

log = structlog.get_logger(__name__)

LOOKED_BACK: Final = timedelta(days=90)
_MAX_ANSWERS: Final = 5000  # that cite one page, the latest
MAX_ASKED: Final = 20  # questions per changed page; those first that most visitors got an answer to
_PAGES_AT_ONCE: Final = 10
_ADDRESS: Final = re.compile(r"https?://[^\s()<>\[\]\"']+")


@dataclass(frozen=True, slots=True)
class _Known:
    """What may rely on a page; `listed` are its open stale answers with their old words."""

    answers: Sequence[PastAnswer]
    curated: Sequence[CuratedAnswer]
    golden: Sequence[GoldenQuestion]
    listed: Sequence[tuple[UUID, StaleSubject, str]]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """`finding` is listed unless the new answer still contains its old words; `question` is None when it is unknown."""

    finding: Finding
    question: PlaygroundQuestion | None
    still_states: Callable[[PlaygroundAnswer], Awaitable[bool]]


class StaleSearch(Wired):
    """Checks changed pages, a few at a time. As in the playground, no question is stored, counted or charged."""

    _records: SystemOfRecord
    _playground: Playground
    _patterns: PatternMatcher
    _clock: Clock

    async def look(self) -> int:
        """Check one batch of changed pages of agents without a running crawl; return how many there were."""
        due = await self._records.read(lambda tx: ChangedPageRecords(tx).due(_PAGES_AT_ONCE))
        for change in due:
            await self._look_at(change)
        return len(due)

    async def _look_at(self, change: PageChange) -> None:
        own, since = self._records.of_workspace(change.workspace_id), self._clock.now() - LOOKED_BACK

        def work(tx: Transaction) -> _Known:
            return _Known(
                PastAnswerRecords(tx).citing(change.agent_id, change.url, since, _MAX_ANSWERS),
                CuratedAnswerRecords(tx).answers(change.agent_id),
                GoldenQuestionRecords(tx).questions(change.agent_id),
                StaleAnswerRecords(tx).open_of_page(change.agent_id, change.url),
            )

        known = await own.read(work)
        page = ChangedPage(change.title, change.before, change.after)
        findings = await to_thread.run_sync(_answer_findings, page, known.answers)
        candidates = await self._with_questions(change, findings[:MAX_ASKED])
        candidates += [_Candidate(finding, None, _never) for finding in findings[MAX_ASKED:]]
        candidates += await to_thread.run_sync(_curated_candidates, change, page, known.curated)
        candidates += [
            candidate
            for one in known.golden
            if (candidate := await self._golden_candidate(change, page, one)) is not None
        ]
        checked = [await self._with_new_answer(change, candidate) for candidate in candidates]
        stale = [finding for finding in checked if finding is not None]
        supported = await to_thread.run_sync(_supported_again, page, known.listed)
        count = await own.write(lambda tx: _store_findings(tx, change, stale, supported))
        if count:
            log.info("stale_answers.found", agent=str(change.agent_id), page=change.url, count=count)

    async def _with_questions(self, change: PageChange, findings: Sequence[Finding]) -> list[_Candidate]:
        """The findings with the latest question of each, as search rephrased it then."""

        def work(tx: Transaction) -> Mapping[UUID, PlaygroundQuestion]:
            found = [StoredTurnRecords(tx).find(finding.turn_ids[0]) for finding in findings]
            return {
                turn.id: PlaygroundQuestion(
                    turn.question, turn.page_url, turn.language, standalone=str(turn.trace.get("standalone") or "")
                )
                for turn in found
                if turn is not None
            }

        questions = await self._records.of_workspace(change.workspace_id).read(work)
        return [
            _Candidate(
                replace(finding, repeated_turn=finding.turn_ids[0]),
                questions.get(finding.turn_ids[0]),
                _answer_has(finding.old_words),
            )
            for finding in findings
        ]

    async def _golden_candidate(
        self, change: PageChange, page: ChangedPage, golden: GoldenQuestion
    ) -> _Candidate | None:
        """The required texts and patterns that the page contained once and no longer does."""
        if golden.pages and page_key(change.url) not in golden.page_keys:
            return None
        wanted = golden.answer_contains + golden.answer_matches
        lost = [text for text in await missing_words(self._patterns, golden, change.after) if text in wanted]
        lost = [text for text in lost if text not in await missing_words(self._patterns, golden, change.before)]
        is_page_gone = not change.after and golden.page_keys == (page_key(change.url),)
        if not lost and not is_page_gone:
            return None
        words = "\n".join(lost) or change.title
        place = page.before.evidence.likest(words)
        new_words = page.instead_of(place or words)
        finding = Finding(
            StaleSubject.GOLDEN,
            StaleKind.CONTRADICTED if new_words else StaleKind.GONE,
            words,
            new_words,
            golden_question_id=golden.id,
        )

        async def still_states(answer: PlaygroundAnswer) -> bool:
            return bool(lost) and not set(lost) & set(await missing_words(self._patterns, golden, answer.answer))

        return _Candidate(finding, PlaygroundQuestion(golden.question, language=golden.language), still_states)

    async def _with_new_answer(self, change: PageChange, candidate: _Candidate) -> Finding | None:
        """The finding with the new answer; None if the agent still gives the old words, from another page."""
        finding = candidate.finding
        if candidate.question is None:
            return replace(finding, repeated_turn=None)
        try:
            answer = await self._playground.ask(change.workspace_id, change.agent_id, candidate.question, "live")
        except DocentError as error:
            log.warning("stale_answer.not_asked", agent=str(change.agent_id), page=change.url, reason=str(error))
            return replace(finding, repeated_turn=None)
        if answer.answered_by is not AnsweredBy.FALLBACK and await candidate.still_states(answer):
            return None
        return replace(finding, new_answer=answer.answer)


def _store_findings(tx: Transaction, change: PageChange, stale: Sequence[Finding], supported: Sequence[UUID]) -> int:
    """Store the findings, settle what the page supports again, and queue webhooks; return how many are newly open. 0
    when another worker has checked the page, or it has changed again: the next check covers both changes."""
    if not ChangedPageRecords(tx).is_looked_at(change):
        return 0
    records = StaleAnswerRecords(tx)
    records.set_state(supported, StaleState.SETTLED)
    count = sum([records.keep(change, finding) for finding in stale])
    if count:
        data = {"document_id": str(change.document_id), "count": count}
        Outbox(tx).add(change.agent_id, ANSWERS_STALE.name, data)
    return count


def _supported_again(page: ChangedPage, listed: Sequence[tuple[UUID, StaleSubject, str]]) -> list[UUID]:
    """The ids of those that the page supports again: it contains the old words, or proves what an operator wrote."""
    return [
        stale_id
        for stale_id, subject, words in listed
        if page.after.states(words) or (subject is StaleSubject.CURATED and page.after.proves(words))
    ]


def _answer_findings(page: ChangedPage, answers: Sequence[PastAnswer]) -> list[Finding]:
    """One finding for each distinct run of lost words, those that most turns gave first."""
    turns: dict[str, list[UUID]] = {}
    known: dict[tuple[object, ...], tuple[str, ...]] = {}
    languages: dict[str, str | None] = {}
    for one in answers:
        content = (one.quotes, one.language, one.answer if one.is_free or not one.quotes else "")
        if content not in known:
            known[content] = _lost_words(page, one)
        for words in known[content]:
            turns.setdefault(words, []).append(one.turn_id)
            languages.setdefault(words, one.language)
    findings = [
        Finding(StaleSubject.ANSWER, page.kind(words, languages[words]), words, page.instead_of(words), tuple(turn_ids))
        for words, turn_ids in turns.items()
    ]
    return sorted(findings, key=lambda finding: -len(finding.turn_ids))


def _lost_words(page: ChangedPage, answer: PastAnswer) -> tuple[str, ...]:
    """The units of the answer's quotations that the page has lost. If there are none, the lost statements of an answer
    in a model's own words or without quotations."""
    lost = [words for quote in answer.quotes if (words := page.lost_quotation(quote))]
    if not lost and (answer.is_free or not answer.quotes):
        lost = [statement.words for statement in page.lost_statements(answer.answer, answer.language)]
    return tuple(dict.fromkeys(lost))


def _curated_candidates(change: PageChange, page: ChangedPage, curated: Sequence[CuratedAnswer]) -> list[_Candidate]:
    candidates: list[_Candidate] = []
    for answer in curated:
        if not answer.is_on or not _may_rest_on(answer, change.url):
            continue
        lost = page.lost_statements(answer.answer, answer.language)
        if not lost:
            continue
        lost_text = "\n".join(each.unit for each in lost)
        rests_on = "\n".join(dict.fromkeys(each.words for each in lost))
        finding = Finding(
            StaleSubject.CURATED,
            page.kind(rests_on, answer.language),
            lost_text,
            page.instead_of(rests_on),
            curated_answer_id=answer.id,
        )
        pattern = answer.patterns[0] if answer.patterns and answer.trigger is not Trigger.REGEX else ""
        question = PlaygroundQuestion(pattern, language=answer.language, leaves_out=answer.id) if pattern else None
        candidates.append(_Candidate(finding, question, _answer_has(rests_on)))
    return candidates


def _may_rest_on(answer: CuratedAnswer, url: str) -> bool:
    """Whether the answer links to the page, or to no page of the website, so that it may rely on any."""
    links = [link for link in _ADDRESS.findall(answer.answer) if host_of(link) == host_of(url)]
    return not links or page_key(url) in map(page_key, links)


def _answer_has(words: str) -> Callable[[PlaygroundAnswer], Awaitable[bool]]:
    async def still_states(answer: PlaygroundAnswer) -> bool:
        quotes = [citation.quote for citation in answer.citations if citation.quote]
        return any(PageText("", text).states(words) for text in (answer.answer, *quotes))

    return still_states


async def _never(answer: PlaygroundAnswer) -> bool:
    return False

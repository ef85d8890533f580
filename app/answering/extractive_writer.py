"""Answers without a model: the best sentences of the sources, quoted with their numbers, or an honest "not here"."""

import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urldefrag

import structlog

from app.answering.brief import AnswerBrief, Source
from app.domain.confidence import ON_CURRENT_PAGE, calibrated, plain_coverage
from app.domain.errors import RerankerUnavailable
from app.domain.sentences import Quotable, points_back, quotables, table_header
from app.domain.turn import AnsweredBy, Finish, TokenUsage
from app.domain.words import folded_words
from app.ports.chat_model import ChatEnd, TextDelta
from app.ports.reranker import Reranker

log = structlog.get_logger(__name__)

_READ_SOURCES = 6  # the best sources; quoting deeper ones only adds noise
_READ_PARTS = 32
_QUOTED_PARTS = 5
_LOGIT_WEIGHT = 0.1
_NEAR_BEST = 0.8  # a part worth this much less than the best adds nothing
_BUDGET_SECONDS = 1.0
_MARK_CHARS = len("\n\n[1]\n\n")
_BRACKETED_NUMBER = re.compile(r"\[(\d{1,3})\]")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """`coverage` is the share of the question's words that the part holds, `logit` what the cross-encoder thinks of it,
    None when it could not be asked."""

    source: Source
    part: Quotable
    coverage: float
    logit: float | None = None

    @property
    def worth(self) -> float:
        """What search thinks of the whole chunk, the words that the part shares with the question, and the logit, which
        is weak on sentences alone: together they choose better than any of them (docs/evaluation.md)."""
        return self.source.calibrated + self.coverage + _LOGIT_WEIGHT * (self.logit or 0.0)

    @property
    def is_telling(self) -> bool:
        """Standing in a good chunk is not enough."""
        return self.coverage > 0 or (self.logit or 0.0) > 0

    @property
    def place(self) -> str:
        """What a sentence leaves out is often said by its headings."""
        return self.source.context or self.source.title


class ExtractiveWriter:
    """An AnswerWriter that needs no key and invents nothing."""

    answered_by = AnsweredBy.EXTRACTIVE

    def __init__(self, reranker: Reranker) -> None:
        self._reranker = reranker

    async def write(self, brief: AnswerBrief) -> AsyncGenerator[TextDelta | ChatEnd, None]:
        chosen = await self._chosen(brief)
        for paragraph in _paragraphs(chosen):
            for word in re.findall(r"\s*\S+", paragraph):
                yield TextDelta(word)
            yield TextDelta("\n\n")
        yield ChatEnd(Finish.COMPLETE, TokenUsage())

    async def _chosen(self, brief: AnswerBrief) -> list[_Candidate]:
        candidates = _candidates(brief)
        if not candidates:
            return []
        judged = await self._judged(brief.standalone, candidates)
        ranked = sorted(
            ((candidate.worth, candidate) for candidate in judged if _may_be_quoted(candidate)),
            key=lambda pair: -pair[0],
        )
        if not ranked:
            return []
        best = ranked[0][0]
        near = [candidate for worth, candidate in ranked if worth >= best - _NEAR_BEST and candidate.is_telling]
        wanted = [_best_of_first_source(ranked), *_one_per_page_first(near)]
        fitting = _fitting(_distinct(wanted), brief.agent.max_answer_chars)[:_QUOTED_PARTS]
        return _in_reading_order(_with_antecedents(fitting))

    async def _judged(self, question: str, candidates: Sequence[_Candidate]) -> list[_Candidate]:
        """With their logits, unless the reranker is away or its time is over."""
        texts = [f"{candidate.place}\n{candidate.part.text}" for candidate in candidates]
        try:
            pairs = await self._reranker.score(question, texts, budget_seconds=_BUDGET_SECONDS)
        except RerankerUnavailable as error:
            log.warning("extractive.reranker_away", reason=str(error))
            return list(candidates)
        return [replace(candidate, logit=pair.logit) for candidate, pair in zip(candidates, pairs, strict=True)]


def _may_be_quoted(candidate: _Candidate) -> bool:
    """Chunks have been through the threshold. The visitor's own page comes unasked, whatever the question is, and
    citing it raises the confidence: a part of it must have earned what it then gets."""
    if not candidate.source.is_unasked:
        return True
    return calibrated(None, candidate.coverage, candidate.logit) >= ON_CURRENT_PAGE


def _candidates(brief: AnswerBrief) -> list[_Candidate]:
    """Parts of the best sources, those that share words with the question first, cut to what can be read in time.

    Chunks have a title and a section to lead to; the visitor's own page is asked when there are none.
    """
    chunks = [source for source in brief.sources if not source.is_unasked]
    found = [
        (source, part)
        for source in (chunks or brief.sources)[:_READ_SOURCES]
        for part in _parts(source)
        if len(part.text) >= 20
    ]
    shares = plain_coverage(brief.standalone, [part.text for _, part in found])
    candidates = [_Candidate(source, part, share) for (source, part), share in zip(found, shares, strict=True)]
    return sorted(candidates, key=lambda candidate: -candidate.coverage)[:_READ_PARTS]


def _best_of_first_source(ranked: Sequence[tuple[float, _Candidate]]) -> _Candidate:
    """Search has weighed whole chunks by more than a look at one sentence, so its first choice is always heard."""
    first = min(candidate.source.number for _, candidate in ranked)
    return next(candidate for _, candidate in ranked if candidate.source.number == first)


def _one_per_page_first(ranked: Sequence[_Candidate]) -> list[_Candidate]:
    """What one page says twice is worth less than what a second page says."""
    best_of_page: dict[str, _Candidate] = {}
    for candidate in ranked:
        best_of_page.setdefault(urldefrag(candidate.source.url).url, candidate)
    firsts = list(best_of_page.values())
    return firsts + [candidate for candidate in ranked if candidate not in firsts]


def _line_by_line(text: str) -> str:
    """A page tells of itself in lines, one for each heading, paragraph or cell."""
    return text.replace("\n", "\n\n")


def _distinct(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Neighbouring chunks overlap, and pages repeat themselves: each wording once."""
    seen: set[str] = set()
    kept = []
    for candidate in candidates:
        wording = " ".join(folded_words(candidate.part.text))
        if not any(wording in other or other in wording for other in seen):
            seen.add(wording)
            kept.append(candidate)
    return kept


def _fitting(candidates: Sequence[_Candidate], max_chars: int) -> list[_Candidate]:
    """Whole parts within the answer's length: half a list of steps is worse than none."""
    kept: list[_Candidate] = []
    room = max_chars
    for candidate in candidates:
        needed = len(candidate.part.text) + _MARK_CHARS
        if needed <= room:
            kept.append(candidate)
            room -= needed
    return kept or list(candidates[:1])


def _with_antecedents(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """ "Then it costs more." means nothing alone: the sentence before comes with it, or the heading where it is the
    section's first."""
    told = {(candidate.source.number, candidate.part.position) for candidate in candidates}
    whole: list[_Candidate] = []
    for candidate in candidates:
        run, parts = [candidate.part], _parts(candidate.source)
        while _leans(run[0]) and run[0].position > 0:
            before = parts[run[0].position - 1]
            if before.is_block or (candidate.source.number, before.position) in told:
                break
            told.add((candidate.source.number, before.position))
            run.insert(0, before)
        if _leans(run[0]) and run[0].position == 0 and candidate.source.heading:
            run[0] = replace(run[0], text=f"{candidate.source.heading}: {run[0].text}")
        whole += [replace(candidate, part=part) for part in run]
    return whole


def _leans(part: Quotable) -> bool:
    return not part.is_block and points_back(part.text)


def _parts(source: Source) -> list[Quotable]:
    return quotables(_line_by_line(source.text) if source.is_from_visitor else source.text)


def _in_reading_order(best_first: Sequence[_Candidate]) -> list[_Candidate]:
    """The source with the best part comes first; within a source its own order holds."""
    sources = list(dict.fromkeys(candidate.source.number for candidate in best_first))
    return sorted(best_first, key=lambda candidate: (sources.index(candidate.source.number), candidate.part.position))


def _paragraphs(chosen: Sequence[_Candidate]) -> list[str]:
    """Sentences of one source run together and carry its number once; blocks stand alone."""
    paragraphs: list[tuple[Source, list[str], bool]] = []
    for candidate in chosen:
        text = _BRACKETED_NUMBER.sub(r"(\1)", candidate.part.text)  # a page's own [3] is not our citation
        last = paragraphs[-1] if paragraphs and paragraphs[-1][0] is candidate.source else None
        header = table_header(text)
        if last and header and table_header(last[1][0]) == header:
            last[1][0] += text.removeprefix(header)
        elif last and not (last[2] or candidate.part.is_block):
            last[1].append(text)
        else:
            paragraphs.append((candidate.source, [text], candidate.part.is_block))
    return [
        f"{' '.join(texts)}\n\n[{source.number}]" if is_block else f"{' '.join(texts)} [{source.number}]"
        for source, texts, is_block in paragraphs
    ]

"""Whether the sources that a model's answer cites prove its sentences."""

import asyncio
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
import structlog

from app.answers.guard.answer_evidence import Evidence, Support, Verdict
from app.answers.guard.evidence_places import KnownSections, Section
from app.answers.guard.output_guard import REMOVED_LINK
from app.answers.guard.place_words import every_stem, stems
from app.answers.guard.sentence_kind import SentenceKind, sentence_kind
from app.answers.writing.answer_context import Source
from app.core.errors import Overloaded, Unavailable
from app.core.page_url import host_of
from app.core.text.polarity import without_reply
from app.core.text.question_parts import asks_something
from app.core.text.stated_facts import FactKind, plain
from app.providers.embedding.embedder import Embedder

log = structlog.get_logger(__name__)

_OF_ANY_ANSWER: Final = every_stem(
    "yes no the a visitor is are was do does you your their they it can of to in for and i s"
)
_ATTRIBUTION: Final = re.compile(r"^\W*(?:according to|based on) [^,.\d]{1,80},\s", re.IGNORECASE)
_ASKER: Final = "visitor"  # as models call who asks
_PLACES_READ: Final = 8
_FAR: Final = 0.8  # cosine and share of words together; below it, the source is about something else
_FAR_ACROSS: Final = 0.45  # cosine alone, between languages
_NEAR_AS_PROOF: Final = 1.0  # the same sum; correct sentences with citations reach it


class Fault(StrEnum):
    """Why a statement is not proven. Operators read the values."""

    MISSING = "not in the sources"
    CONTRADICTED = "a source says the contrary"
    FAR = "no source is near in meaning"
    UNSOURCED = "there are no sources"


@dataclass(frozen=True, slots=True)
class Finding:
    """A statement that is not proven, and its facts that the sources lack."""

    sentence: str
    fault: Fault
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """`source` is the number of the source that proves a statement, which may cite others. A statement with neither is
    not known to be right or wrong."""

    source: int | None = None
    finding: Finding | None = None


class StatementCheck:
    """Checks the statements of one answer; other sentences need no proof. A statement without citations is checked
    against all sources, and gets the one that proves it. Without any source, no statement is proven. Meaning is
    compared only if words alone prove nothing, in a language that the embedder knows. Answers share the cache
    `sections`; sections of a visitor's page or an action's result are not kept there."""

    def __init__(
        self,
        embedder: Embedder,
        sources: Sequence[Source],
        language: str | None,
        sections: KnownSections,
        own_name: str = "",
        question: str = "",
    ) -> None:
        self._embedder = embedder
        self._sources = tuple(sources)
        self._language = language
        self._sections = sections
        self._own_name = own_name
        self._asked = every_stem(question)
        self._subject = stems(plain(question))
        self._asks_nothing = not asks_something(question, language)
        self._known: dict[frozenset[int], Evidence] = {}
        self._verdicts: dict[tuple[str, frozenset[int]], Verdict] = {}
        self.checked = 0
        self.findings: list[Finding] = []

    def admit(self, source: Source) -> None:
        """Add a source that may prove what is written from now on."""
        self._sources = (*self._sources, source)
        self._known.clear()
        self._verdicts.clear()

    async def judged(self, sentence: str, cited: Sequence[int]) -> Judgement:
        """`cited` are source numbers as in the context."""
        judgement = await (self._by_cited(sentence, cited) if cited else self._by_all(sentence))
        if judgement.finding:
            self.findings.append(judgement.finding)
        return judgement

    async def _by_all(self, sentence: str) -> Judgement:
        source = await asyncio.to_thread(self._proof, sentence)
        if source is None:
            return Judgement(finding=await self.finding(sentence, ()))
        self.checked += 1
        return Judgement(source)

    async def _by_cited(self, sentence: str, cited: Sequence[int]) -> Judgement:
        finding = await self.finding(sentence, cited)
        if finding is None:
            return Judgement(await self._confirming(sentence, cited))
        if finding.fault is not Fault.CONTRADICTED:
            source = await asyncio.to_thread(self._proof, sentence, is_strict=True)
            if source is not None:
                return Judgement(source)
        return Judgement(finding=finding)

    async def _confirming(self, sentence: str, cited: Sequence[int]) -> int | None:
        """The source that confirms a statement without a finding: one that states it, or the first cited one if it is
        near in words and meaning together. Across languages, the citation alone is enough."""
        if await asyncio.to_thread(self.is_borrowed, sentence, cited):
            return None
        verdict = await asyncio.to_thread(self._verdict, sentence, cited)
        if verdict.is_stated or verdict.is_across:
            return cited[0]
        if (source := await asyncio.to_thread(self._proof, sentence)) is not None:
            return source
        nearness = await self._nearness(sentence, cited)
        return cited[0] if nearness is None or nearness + verdict.together >= _NEAR_AS_PROOF else None

    async def finding(self, sentence: str, cited: Collection[int]) -> Finding | None:
        """What is wrong with the sentence by the sources that it cites, or by all if it cites none; None if nothing
        is."""
        if self.kind(sentence) is not SentenceKind.STATEMENT:
            return None
        self.checked += 1
        text = " ".join(sentence.split())
        if not self._sources:
            return Finding(text, Fault.UNSOURCED)
        verdict = await asyncio.to_thread(self._verdict, sentence, cited)
        if cited and verdict.support is Support.NOT_OPPOSED:
            among_all = await asyncio.to_thread(self._verdict, sentence, ())
            verdict = among_all if among_all.is_contradicted else verdict
        if not verdict.is_proven:
            fault = Fault.CONTRADICTED if verdict.is_contradicted else Fault.MISSING
            return Finding(text, fault, tuple(fact.text for fact in verdict.missing))
        if cited and not verdict.is_stated:
            least = _FAR_ACROSS if verdict.is_across else _FAR - verdict.together
            if (nearness := await self._nearness(sentence, cited)) is not None and nearness < least:
                return Finding(text, Fault.FAR)
        return None

    def kind(self, sentence: str) -> SentenceKind:
        kind = sentence_kind(sentence, self._language)
        is_echo = kind is SentenceKind.STATEMENT and self._asks_nothing and self.is_echo(sentence)
        return SentenceKind.ECHO if is_echo else kind

    def is_named(self, line: str) -> bool:
        """Whether a line with a citation contains nothing else, or only a source's title or heading."""
        name = plain(line).casefold().strip(" \t[]()-–—:.*_,\n")
        return not name or any(name in (source.title.casefold(), source.heading.casefold()) for source in self._sources)

    def is_echo(self, sentence: str) -> bool:
        """Whether a statement says nothing that the question did not say."""
        return not every_stem(plain(sentence)) - self._asked - _OF_ANY_ANSWER

    def _proof(self, sentence: str, *, is_strict: bool = False) -> int | None:
        """The number of the source that proves a statement. None if no source does, if one with as many of its words
        contradicts it, or if all together lack one of its numbers, or any of its facts if `is_strict`."""
        among_all = self._verdict(sentence, ())
        if among_all.is_contradicted or any(is_strict or fact.kind is FactKind.NUMBER for fact in among_all.missing):
            return None
        verdicts = {source.number: self._verdict(sentence, (source.number,)) for source in self._sources}
        proving = [
            number
            for number, verdict in verdicts.items()
            if verdict.is_stated and not self.is_borrowed(sentence, (number,))
        ]
        if not proving:
            return None
        best = max(proving, key=lambda number: (verdicts[number].together, -number))
        is_denied = any(
            verdict.is_contradicted and verdict.together >= verdicts[best].together for verdict in verdicts.values()
        )
        return None if is_denied else best

    def is_borrowed(self, sentence: str, sources: Collection[int]) -> bool:
        """Whether the sentence repeats a word of the question that `sources` lack and another source has: they state it
        about another subject than the question's."""
        own, every = self._evidence(sources), self._evidence(())
        words = self._subject & stems(plain(sentence))
        return any(every.has_word(word) and not own.has_word(word) for word in words)

    async def code_finding(self, code: str) -> Finding | None:
        """None if each line of a code block is in some source, ignoring spaces."""
        evidence = await asyncio.to_thread(self._evidence, ())
        self.checked += 1
        missing = tuple(line.strip() for line in code.splitlines() if line.strip() and not evidence.has_code(line))
        if not missing:
            return None
        finding = Finding(missing[0], Fault.MISSING, missing)
        self.findings.append(finding)
        return finding

    async def _nearness(self, sentence: str, cited: Collection[int]) -> float | None:
        """The cosine of the place that is nearest in meaning; None if it is unknown."""
        known = self._embedder.knows
        if known is not None and self._language not in known:
            return None
        texts = [plain(sentence), *self._evidence(cited).nearest(sentence, _PLACES_READ)]
        try:
            statement, *places = np.asarray(await self._embedder.embed(texts))
        except (Unavailable, Overloaded) as error:
            log.warning("statement_check.embedder_away", reason=str(error))
            return None
        return max(float(statement @ place) for place in places)

    def _verdict(self, sentence: str, cited: Collection[int]) -> Verdict:
        known = sentence, frozenset(cited)
        if known not in self._verdicts:
            languages = {source.language for source in self._chosen(cited)} - {None}
            is_across = bool(languages) and self._language is not None and self._language not in languages
            stated = _ATTRIBUTION.sub("", without_reply(sentence.replace(REMOVED_LINK, "")))
            self._verdicts[known] = self._evidence(cited).verdict(stated, self._language, is_across=is_across)
        return self._verdicts[known]

    def _evidence(self, cited: Collection[int]) -> Evidence:
        known = frozenset(cited)
        if known not in self._known:
            sections = [self._section(source) for source in self._chosen(cited)]
            self._known[known] = Evidence(sections, self._own_names())
        return self._known[known]

    def _chosen(self, cited: Collection[int]) -> list[Source]:
        return [source for source in self._sources if not cited or source.number in cited]

    def _own_names(self) -> frozenset[str]:
        """Words of the agent's name, and of the hosts of the sources without their last part."""
        hosts = {host_of(source.url) for source in self._sources}
        labels = {label for host in hosts for label in (host, *host.split(".")[:-1])}
        words = {_ASKER, *self._own_name.casefold().split(), *labels}
        return frozenset({*words, *(label.replace("-", " ") for label in labels)})

    def _section(self, source: Source) -> Section:
        title = " ".join((source.title, *source.breadcrumb))
        return (self._sections.section if source.chunk_id else Section.cut)(title, source.text)

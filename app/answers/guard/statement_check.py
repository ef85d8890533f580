"""Whether the sources that a model's answer cites prove its sentences."""

import asyncio
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import structlog

from app.answers.guard.answer_evidence import Evidence, Verdict
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


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a sentence is not proven: missing facts, a source that says the contrary, none that is near, or none at
    all."""

    sentence: str
    missing: tuple[str, ...] = ()
    is_contradicted: bool = False
    is_far: bool = False
    is_unsourced: bool = False

    @property
    def why(self) -> str:
        if self.is_unsourced:
            return "there are no sources"
        if self.is_far:
            return "no source is near in meaning"
        return "a source says the contrary" if self.is_contradicted else "not in the sources"


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

    async def judged(self, sentence: str, cited: Sequence[int]) -> Finding | int | None:
        """A Finding if the sentence fails, the source that proves it (perhaps not in `cited`), None if neither is
        known."""
        if not cited:
            return await self.proof(sentence) or await self.finding(sentence, cited)
        found = await self.finding(sentence, cited)
        if found is None:
            return await self._confirming(sentence, cited)
        source = None if found.is_contradicted else await asyncio.to_thread(self._proof, sentence, is_strict=True)
        if source is None:
            return found
        self.findings.remove(found)
        return source

    async def _confirming(self, sentence: str, cited: Sequence[int]) -> int | None:
        """The source that confirms a statement without a finding: one that states it, or the first cited one if it is
        near in words and meaning together. Across languages, the citation alone is enough."""
        if await asyncio.to_thread(self.is_borrowed, sentence, cited):
            return None
        evidence, verdict = await asyncio.to_thread(self._verdict, sentence, frozenset(cited))
        if verdict.proves or verdict.is_across:
            return cited[0]
        if (source := await asyncio.to_thread(self._proof, sentence)) is not None:
            return source
        nearness = await self._nearness(sentence, evidence)
        return cited[0] if nearness is None or nearness + verdict.together >= _NEAR_AS_PROOF else None

    async def finding(self, sentence: str, cited: Collection[int]) -> Finding | None:
        """None if nothing is wrong with the sentence. `cited` are source numbers as in the context."""
        if self.kind(sentence) is not SentenceKind.STATEMENT:
            return None
        self.checked += 1
        if not self._sources:
            found: Finding | None = Finding(" ".join(sentence.split()), is_unsourced=True)
        else:
            evidence, verdict = await asyncio.to_thread(self._verdict, sentence, frozenset(cited))
            if cited and verdict.is_proven and not verdict.proves:
                _, among_all = await asyncio.to_thread(self._verdict, sentence, frozenset[int]())
                verdict = among_all if among_all.is_contradicted else verdict
            found = await self._fault(sentence, verdict, evidence, is_citing=bool(cited))
        if found is not None:
            self.findings.append(found)
        return found

    def kind(self, sentence: str) -> SentenceKind:
        kind = sentence_kind(sentence, self._language)
        is_echo = kind is SentenceKind.STATEMENT and self._asks_nothing and self.is_echo(sentence)
        return SentenceKind.ECHO if is_echo else kind

    def is_named(self, line: str) -> bool:
        """Whether a line with a citation contains nothing else, or only a source's title or heading."""
        name = plain(line).casefold().strip(" \t[]()-–—:.*_,\n")
        return not name or any(name in (title.casefold(), section.casefold()) for title, section in self._titles())

    def _titles(self) -> Iterator[tuple[str, str]]:
        return ((source.title, source.heading) for source in self._sources)

    def is_echo(self, sentence: str) -> bool:
        """Whether a statement says nothing that the question did not say."""
        return not every_stem(plain(sentence)) - self._asked - _OF_ANY_ANSWER

    async def proof(self, sentence: str) -> int | None:
        """The number of the source that proves a statement without citations, which then counts as checked. None if no
        source does, or if one with as many of its words contradicts it."""
        source = await asyncio.to_thread(self._proof, sentence)
        self.checked += source is not None
        return source

    def _proof(self, sentence: str, *, is_strict: bool = False) -> int | None:
        among_all = self._verdict(sentence, frozenset())[1]
        if among_all.is_contradicted or any(is_strict or fact.kind is FactKind.NUMBER for fact in among_all.missing):
            return None
        proofs = [(self._verdict(sentence, frozenset({source.number}))[1], source.number) for source in self._sources]
        proving = [
            (verdict.together, -number)
            for verdict, number in proofs
            if verdict.proves and not self.is_borrowed(sentence, [number])
        ]
        if not proving:
            return None
        best, number = max(proving)
        is_denied = any(verdict.together >= best for verdict, _ in proofs if verdict.is_contradicted)
        return None if is_denied else -number

    def is_borrowed(self, sentence: str, sources: Collection[int]) -> bool:
        """Whether the sentence repeats a word of the question that `sources` lack and another source has: they state it
        about another subject than the question's."""
        own, every = self._evidence(frozenset(sources)), self._evidence(frozenset())
        words = self._subject & stems(plain(sentence))
        return any(every.has_word(word) and not own.has_word(word) for word in words)

    async def code_finding(self, code: str) -> Finding | None:
        """None if each line of a code block is in some source, ignoring spaces."""
        evidence = await asyncio.to_thread(self._evidence, frozenset())
        self.checked += 1
        missing = tuple(line.strip() for line in code.splitlines() if line.strip() and not evidence.has_code(line))
        if not missing:
            return None
        self.findings.append(Finding(missing[0], missing))
        return self.findings[-1]

    async def _fault(self, sentence: str, verdict: Verdict, evidence: Evidence, *, is_citing: bool) -> Finding | None:
        text = " ".join(sentence.split())
        if not verdict.is_proven:
            return Finding(text, tuple(fact.text for fact in verdict.missing), verdict.is_contradicted)
        if is_citing and not verdict.proves:
            nearness = await self._nearness(sentence, evidence)
            if nearness is not None and nearness < (_FAR_ACROSS if verdict.is_across else _FAR - verdict.together):
                return Finding(text, is_far=True)
        return None

    async def _nearness(self, sentence: str, evidence: Evidence) -> float | None:
        """The cosine of the place that is nearest in meaning; None if it is unknown."""
        known = self._embedder.knows
        if known is not None and self._language not in known:
            return None
        texts = [plain(sentence), *evidence.nearest(sentence, _PLACES_READ)]
        try:
            statement, *places = np.asarray(await self._embedder.embed(texts))
        except (Unavailable, Overloaded) as error:
            log.warning("statement_check.embedder_away", reason=str(error))
            return None
        return max(float(statement @ place) for place in places)

    def _verdict(self, sentence: str, cited: frozenset[int]) -> tuple[Evidence, Verdict]:
        evidence = self._evidence(cited)
        if (sentence, cited) not in self._verdicts:
            languages = {source.language for source in self._chosen(cited)} - {None}
            is_across = bool(languages) and self._language is not None and self._language not in languages
            stated = _ATTRIBUTION.sub("", without_reply(sentence.replace(REMOVED_LINK, "")))
            verdict = evidence.verdict(stated, self._language, is_across=is_across)
            self._verdicts[sentence, cited] = verdict
        return evidence, self._verdicts[sentence, cited]

    def _chosen(self, cited: Collection[int]) -> list[Source]:
        return [source for source in self._sources if not cited or source.number in cited]

    def _evidence(self, cited: frozenset[int]) -> Evidence:
        if cited not in self._known:
            sections = [self._section(source) for source in self._chosen(cited)]
            self._known[cited] = Evidence(sections, self._own_names())
        return self._known[cited]

    def _own_names(self) -> frozenset[str]:
        """Words of the agent's name, and of the hosts of the sources without their last part."""
        hosts = {host_of(source.url) for source in self._sources}
        labels = {label for host in hosts for label in (host, *host.split(".")[:-1])}
        words = {_ASKER, *self._own_name.casefold().split(), *labels}
        return frozenset({*words, *(label.replace("-", " ") for label in labels)})

    def _section(self, source: Source) -> Section:
        title = " ".join((source.title, *source.breadcrumb))
        return (self._sections.section if source.chunk_id else Section.cut)(title, source.text)

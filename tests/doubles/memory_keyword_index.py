"""A BM25 index in a dictionary: English stop words, no stemmer."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from uuid import UUID

from app.core.chunk import IndexHit
from app.core.errors import IndexUnavailable
from app.core.text.words import folded_words, search_terms
from app.providers.indexes.keyword_analysis import analysis_of, is_near, typed_marks
from app.providers.indexes.search_indexes import ChunkTerms

_SAYS_NOTHING = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "how", "i", "in", "is", "it"),
        *("of", "on", "or", "the", "to", "what", "which", "you"),
    }
)


class MemoryKeywordIndex:
    """BM25 with k1 1.2 and b .75. `spellings` are the words that are spelt otherwise. While `is_down`, every call
    raises."""

    def __init__(self) -> None:
        self._rows: dict[UUID, dict[str, ChunkTerms]] = {}
        self.spellings: dict[str, str] = {}
        self.is_down = False

    async def search(
        self,
        agent_id: UUID,
        language: str | None,
        question: str,
        limit: int,
        among: Collection[UUID] | None = None,
    ) -> list[IndexHit]:
        rows, asked = self._of(agent_id), _telling(question)
        bags = {name: Counter(_terms(f"{row.title} {row.text}")) for name, row in rows.items()}
        mean = sum(bag.total() for bag in bags.values()) / max(1, len(bags))
        hits = [IndexHit(name, self._bm25(agent_id, asked, bag, mean)) for name, bag in bags.items()]
        found = [
            hit for hit in hits if hit.score > 0 and (among is None or rows[hit.chunk_id].document_version_id in among)
        ]
        return sorted(found, key=lambda hit: hit.score, reverse=True)[:limit]

    async def complete(
        self, agent_id: UUID, language: str | None, typed: str, limit: int, among: Collection[UUID] | None = None
    ) -> list[IndexHit]:
        asked = folded_words(typed)
        rows = [row for row in self._of(agent_id).values() if among is None or row.document_version_id in among]
        for edits, wanted in ((0, len(asked)), (1, len(asked)), (1, 1)):
            hits = [IndexHit(row.chunk_id, _held(row, asked, edits)) for row in rows]
            found = [hit for hit in hits if hit.score >= wanted > 0]
            if found:
                return sorted(found, key=lambda hit: hit.score, reverse=True)[:limit]
        return []

    def marked(self, language: str | None, typed: str, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        return typed_marks(analysis_of("en"), typed, texts)

    async def respelt(self, agent_id: UUID, language: str | None, question: str) -> str:
        self._of(agent_id)
        return " ".join(self.spellings.get(word, word) for word in question.split(" "))

    async def coverage(self, agent_id: UUID, language: str | None, question: str, texts: Sequence[str]) -> list[float]:
        weights = {term: self._idf(agent_id, term) for term in _telling(question)}
        whole = sum(weights.values()) + self._idf(agent_id, "\0")  # a word that no text holds
        if not weights or not self._of(agent_id):
            return [0.0] * len(texts)
        return [sum(weights[term] for term in weights.keys() & set(_terms(text))) / whole for text in texts]

    async def put(self, agent_id: UUID, language: str | None, rows: Sequence[ChunkTerms]) -> None:
        self._of(agent_id)
        if rows:
            self._rows.setdefault(agent_id, {}).update({row.chunk_id: row for row in rows})

    async def drop_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> None:
        rows = self._of(agent_id)
        if rows:
            self._rows[agent_id] = {
                name: row for name, row in rows.items() if row.document_version_id not in document_version_ids
            }

    async def count_versions(self, agent_id: UUID, document_version_ids: Sequence[UUID]) -> int:
        return sum(row.document_version_id in document_version_ids for row in self._of(agent_id).values())

    async def rewrite(self, agent_id: UUID, language: str | None, rows: Sequence[ChunkTerms]) -> bool:
        anew = {row.chunk_id: row for row in rows}
        if self._of(agent_id).keys() - anew.keys():
            return False
        if agent_id in self._rows:
            self._rows[agent_id] = anew
        return True

    async def drop_agent(self, agent_id: UUID) -> None:
        self._of(agent_id)
        self._rows.pop(agent_id, None)

    async def chunk_ids(self, agent_id: UUID) -> set[str]:
        return set(self._of(agent_id))

    async def agent_ids(self) -> set[UUID]:
        return set(self._rows)

    def _of(self, agent_id: UUID) -> dict[str, ChunkTerms]:
        if self.is_down:
            raise IndexUnavailable("The keyword index was told to be down.")
        return self._rows.get(agent_id, {})

    def _bm25(self, agent_id: UUID, asked: Sequence[str], bag: Counter[str], mean: float) -> float:
        long = 1.2 * (1 - 0.75 + 0.75 * bag.total() / mean)
        return sum(self._idf(agent_id, term) * bag[term] * 2.2 / (bag[term] + long) for term in asked)

    def _idf(self, agent_id: UUID, term: str) -> float:
        rows = self._of(agent_id)
        found = sum(term in _terms(f"{row.title} {row.text}") for row in rows.values())
        return math.log(1 + (len(rows) - found + 0.5) / (found + 0.5))


def _terms(text: str) -> list[str]:
    return [term.casefold() for term in search_terms(text) if term.casefold() not in _SAYS_NOTHING]


def _held(row: ChunkTerms, typed: Sequence[str], edits: int) -> float:
    """How many of the typed words the row has, one of the title counting a little more."""

    def has(text: str, word: str) -> bool:
        terms = _terms(text)
        return any(term.startswith(word) or (edits and is_near(term, word, goes_on=True)) for term in terms)

    return sum(1.1 if has(row.title, word) else has(row.text, word) for word in typed)


def _telling(question: str) -> list[str]:
    return list(dict.fromkeys(_terms(question)))

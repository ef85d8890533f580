"""Tells operators which of an agent's pages are in a language that the embedder does not read."""

from collections.abc import Collection
from typing import Final
from uuid import UUID

from app.agents.records import AgentRecords
from app.core.actor import Actor
from app.core.text.language_names import language_name
from app.kit.wiring import Wired
from app.knowledge.records.live_documents import LiveDocumentRecords
from app.providers.embedding.embedder import Embedder
from app.store.system_of_record import SystemOfRecord, Transaction, reads

_LEAST_SHARE: Final = 0.05  # of the pages: a legal notice in another language, or a misdetected one, needs no action


class UnreadLanguages(Wired):
    _records: SystemOfRecord
    _embedder: Embedder

    @reads
    def languages(self, tx: Transaction, actor: Actor, agent_id: UUID) -> list[str]:
        """One or two sentences for each such language, the one with most pages first; [] for an embedder without a
        known list of languages.

        Raises NotFound for an agent that does not exist or belongs to another workspace.
        """
        agent = AgentRecords(tx).agent(actor.workspace_id, agent_id)
        pages = LiveDocumentRecords(tx).languages(agent_id)
        known = self._embedder.reads
        if known is None:
            return []
        least = _LEAST_SHARE * sum(pages.values())
        unread = {each: count for each, count in pages.items() if each and each not in known and count >= least}
        return [
            _in_words(count, each, known, is_stemmed=agent.draft.language is not None)
            for each, count in sorted(unread.items(), key=lambda item: (-item[1], item[0]))
        ]


def _in_words(count: int, language: str, known: Collection[str], *, is_stemmed: bool) -> str:
    pages = f"{count} pages are" if count > 1 else "1 page is"
    *others, last = sorted(_name(each) for each in known)
    reads = f"{', '.join(others)} and {last}" if others else last
    notice = (
        f"{pages} {_name(language)}: the shipped models read {reads}. Set an embeddings endpoint "
        "(DOCENT_EMBEDDINGS_URL) or expect keyword search."
    )
    return notice if is_stemmed else f'{notice} The agent\'s setting language "{language}" finds other forms of a word.'


def _name(language: str) -> str:
    return language_name(language) or f'"{language}"'

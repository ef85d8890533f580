"""A question with what a good answer to it rests on and says."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from app.core.page_url import page_key

# What an answer adds to the words that it quotes: marks of citations, emphasis and code.
_ADDED: Final = re.compile(r"\[\d{1,3}\]|[*`]")


class GoldenOrigin(StrEnum):
    """Where a golden question came from."""

    WRITTEN = "written"
    IMPORTED = "imported"
    CONVERSATION = "conversation"  # a visitor asked it


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """`pages` are URLs, or "urn:uuid:" and the id of an uploaded file's source, any of which answers it. The answer
    must hold every text of `answer_contains` and match every regular expression of `answer_matches` (RE2); case and
    Markdown's emphasis do not count. With none of the three the website does not answer it, and the agent should say
    so. `language` is a BCP 47 primary subtag, None for the agent's own."""

    id: UUID
    agent_id: UUID
    question: str
    pages: tuple[str, ...] = ()
    language: str | None = None
    origin: GoldenOrigin = GoldenOrigin.WRITTEN
    created_at: datetime | None = None  # set by the store
    answer_contains: tuple[str, ...] = ()
    answer_matches: tuple[str, ...] = ()

    @property
    def page_keys(self) -> tuple[str, ...]:
        """The pages as they are compared, each once."""
        return tuple(dict.fromkeys(page_key(page) for page in self.pages))

    @property
    def is_answerable(self) -> bool:
        return bool(self.pages) or self.expects_words

    @property
    def expects_words(self) -> bool:
        """Whether the answer itself is needed to mark it, and not only what search finds."""
        return bool(self.answer_contains or self.answer_matches)

    def missing_texts(self, answer: str) -> tuple[str, ...]:
        """Those of `answer_contains` that the answer does not hold."""
        given = _compared(plain_answer(answer))
        return tuple(text for text in self.answer_contains if _compared(plain_answer(text)) not in given)


def plain_answer(text: str) -> str:
    """Its words, without the marks that an answer adds to them."""
    return _ADDED.sub("", text)


def _compared(text: str) -> str:
    return " ".join(text.casefold().split())

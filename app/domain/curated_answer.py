"""Answers that an operator wrote: they come before any search."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from urllib.parse import urlsplit
from uuid import UUID

from app.domain.words import folded_words


class Trigger(StrEnum):
    EXACT = "exact"  # the whole question, after normalisation
    PHRASE = "phrase"  # anywhere in the question, on word borders


@dataclass(frozen=True, slots=True)
class CuratedAnswer:
    """One written answer. `pattern` is the operator's text; higher `priority` wins, then the older one.

    `language` (BCP 47 primary subtag) and `page_prefix` (a path such as "/pricing") narrow where it applies;
    after `expires_at` it no longer does.
    """

    id: UUID
    agent_id: UUID
    trigger: Trigger
    pattern: str
    answer: str
    priority: int = 0
    language: str | None = None
    page_prefix: str = ""
    expires_at: datetime | None = None
    hits: int = 0


def normalised(text: str) -> str:
    """Case, punctuation and blanks do not count: "What's  UP?" is "what s up"."""
    return " ".join(folded_words(text))


def matching_answer(
    answers: Iterable[CuratedAnswer], question: str, *, page_url: str, language: str | None, now: datetime
) -> CuratedAnswer | None:
    """The first answer that applies, by priority (highest first), exact before phrase, then age.

    `answers` come oldest first. `language` is the turn's, or None when unknown, which matches every answer.
    """
    asked = normalised(question)
    if not asked:
        return None
    path = urlsplit(page_url).path or "/"
    best: CuratedAnswer | None = None
    for answer in answers:
        if not _applies(answer, path, language, now) or not _triggers(answer, asked):
            continue
        if best is None or _rank(answer) > _rank(best):
            best = answer
    return best


def _rank(answer: CuratedAnswer) -> tuple[int, bool]:
    return answer.priority, answer.trigger is Trigger.EXACT


def _applies(answer: CuratedAnswer, path: str, language: str | None, now: datetime) -> bool:
    if answer.expires_at is not None and answer.expires_at <= now:
        return False
    if answer.language and language and answer.language != language:
        return False
    return path.startswith(answer.page_prefix)


def _triggers(answer: CuratedAnswer, asked: str) -> bool:
    wanted = normalised(answer.pattern)
    if not wanted:
        return False
    if answer.trigger is Trigger.EXACT:
        return asked == wanted
    return f" {wanted} " in f" {asked} "

"""Answers that an operator wrote; they are tried before any search."""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from app.answers.guard.output_guard import OutputGuard
from app.answers.offered_actions import AnswerActions
from app.core.confirmation import ProposedChange
from app.core.errors import InvalidInput
from app.core.setting import at_most, between, required
from app.core.text.words import is_spaceless, normalised

_PLACE: Final = re.compile(r"\{\{\s*+action\.([a-z][a-z0-9_]{0,39}+)\s*+\}\}")
_BEGUN: Final = re.compile(r"\{\{\s*+action\b")
_LONGEST: Final = 20_000
MAX_PATTERN_CHARS: Final = 500  # of a line
PATTERN_LINE: Final = at_most(MAX_PATTERN_CHARS)
MAX_ANSWER_CHARS: Final = 8000
MAX_PATTERNS_CHARS: Final = 8000
MAX_PATTERNS: Final = 50  # lines, if a trigger takes several


class Trigger(StrEnum):
    """When an answer is given. The order here is the order among answers of one priority."""

    EXACT = "exact"  # the whole question, after normalisation
    PHRASE = "phrase"  # anywhere in the question, on word borders
    ANY_OF = "any_of"  # one word or phrase a line; any of them matches, as PHRASE does
    REGEX = "regex"  # a regular expression that matches somewhere in the question
    SEMANTIC = "semantic"  # one question a line; the visitor's means the same as any of them


_RANKS = {trigger: -place for place, trigger in enumerate(Trigger)}


@dataclass(frozen=True, slots=True)
class CuratedAnswer:
    """An answer that an operator wrote. Among those of one priority, the older wins. `language` (BCP 47 primary subtag)
    and `page_prefix` restrict where it applies; it does not apply after `expires_at`. `hits` counts the turns that it
    answered, the latest at `last_hit_at`."""

    id: UUID
    agent_id: UUID
    trigger: Annotated[
        Trigger,
        "exact: the whole question; phrase: the words anywhere in it; any_of: one of several words or phrases; regex: "
        "an RE2 regular expression, case ignored (its \\b and \\w know ASCII letters only); semantic: the question "
        "means what one of several questions means, asked only where nothing else fits.",
    ]
    pattern: Annotated[
        str, required(MAX_PATTERNS_CHARS, rows=4), "One per line for any_of and semantic; a single line otherwise."
    ]
    answer: Annotated[str, required(MAX_ANSWER_CHARS, rows=4)]
    priority: Annotated[int, between(-1000, 1000), "The answer with the higher priority wins."] = 0
    language: Annotated[str | None, at_most(3)] = None
    page_prefix: Annotated[str, at_most(500), 'Where it applies: a path prefix such as "/pricing".'] = ""
    expires_at: datetime | None = None
    is_on: Annotated[bool, "Visitors get the answer only while this is true."] = True
    hits: Annotated[int, "Number of turns that it answered."] = 0
    last_hit_at: datetime | None = None

    @property
    def patterns(self) -> list[str]:
        """One per line if the trigger takes several, without blank lines; else the pattern itself."""
        if self.trigger not in (Trigger.ANY_OF, Trigger.SEMANTIC):
            return [self.pattern]
        return [stripped for line in self.pattern.splitlines() if (stripped := line.strip())]


@dataclass(frozen=True, slots=True)
class CuratedEdit:
    """An answer after one change."""

    number: Annotated[int, "1 is the original answer."]
    author: Annotated[
        str, "A token's name or an operator's e-mail address; \"\" for edits from before authors were recorded."
    ]
    saved_at: datetime
    answer: CuratedAnswer
    changed: Annotated[tuple[str, ...], "Names of the changed fields; empty for the first edit."] = ()


@dataclass(frozen=True, slots=True)
class CuratedFilter:
    """Answers with every word of `text` in their pattern or answer, ignoring case; on, off or both (None); with
    `is_proposed`, only those with a change that waits for approval."""

    text: Annotated[str, at_most(200), "Words that must all occur in the pattern or the answer."] = ""
    is_on: Annotated[bool | None, "Only answers that are on (true) or off (false)."] = None
    is_proposed: bool = False

    def fits(self, answer: CuratedAnswer) -> bool:
        if self.is_on is not None and answer.is_on != self.is_on:
            return False
        held = f"{answer.pattern}\n{answer.answer}".casefold()
        return all(word in held for word in self.text.casefold().split())


EVERY_ANSWER: Final = CuratedFilter()
_WRITTEN_FIELDS: Final = ("is_on", "trigger", "pattern", "answer", "priority", "language", "page_prefix", "expires_at")


def written_of(answer: CuratedAnswer) -> dict[str, Any]:
    """The fields that an operator wrote, by name: all that an edit may change."""
    return {name: getattr(answer, name) for name in _WRITTEN_FIELDS}


def with_changes(edits: Sequence[CuratedEdit]) -> list[CuratedEdit]:
    """The edits of one answer, latest first, with what each changed."""
    return [
        edit if before is None else replace(edit, changed=changed_fields(before.answer, edit.answer))
        for edit, before in zip(edits, [*edits[1:], None], strict=True)
    ]


def changed_fields(before: CuratedAnswer, after: CuratedAnswer) -> tuple[str, ...]:
    old = written_of(before)
    return tuple(name for name, value in written_of(after).items() if old[name] != value)


def applicable(
    answers: Iterable[CuratedAnswer], *, page_url: str, language: str | None, now: datetime
) -> list[CuratedAnswer]:
    """Answers that apply here and now, in order. `language` is the turn's; None, for unknown, fits every answer."""
    path = urlsplit(page_url).path or "/"
    return [answer for answer in answers if _applies(answer, path, language, now)]


def matching_answer(
    answers: Iterable[CuratedAnswer], question: str, matching_regexes: Collection[str] = ()
) -> CuratedAnswer | None:
    """The first answer that the question triggers, by priority (highest first), trigger, then age.

    `answers` come oldest first; semantic ones never match here. `matching_regexes` are the patterns that were found
    in the question.
    """
    normal = normalised(question)
    best: CuratedAnswer | None = None
    for answer in answers:
        if answer.trigger is Trigger.REGEX:
            is_hit = answer.pattern in matching_regexes
        else:
            is_hit = bool(normal) and _triggers(answer, normal)
        if is_hit and (best is None or _rank(answer) > _rank(best)):
            best = answer
    return best


def _rank(answer: CuratedAnswer) -> tuple[int, int]:
    return answer.priority, _RANKS[answer.trigger]


def _applies(answer: CuratedAnswer, path: str, language: str | None, now: datetime) -> bool:
    if not answer.is_on:
        return False
    if answer.expires_at is not None and answer.expires_at <= now:
        return False
    if answer.language and language and answer.language != language:
        return False
    return path.startswith(answer.page_prefix)


def _triggers(answer: CuratedAnswer, question: str) -> bool:
    if answer.trigger is Trigger.SEMANTIC:
        return False
    wanted = [normalised(pattern) for pattern in answer.patterns]
    if answer.trigger is Trigger.EXACT:
        return question in wanted
    return any(_occurs(phrase, question) for phrase in wanted if phrase)


def _occurs(phrase: str, text: str) -> bool:
    """Whether the phrase occurs between word boundaries. Scripts without spaces have none, so there it may be anywhere,
    but not before a combining mark of its last letter."""
    found = text.find(phrase)
    while found >= 0:
        before, after = text[:found][-1:], text[found + len(phrase) :][:1]
        if (before in ("", " ") or is_spaceless(phrase[0])) and (
            after in ("", " ") or (is_spaceless(phrase[-1]) and not unicodedata.category(after).startswith("M"))
        ):
            return True
        found = text.find(phrase, found + 1)
    return False


@dataclass(frozen=True, slots=True)
class FilledAnswer:
    """`proposed` is what the visitor is asked to confirm below the text."""

    text: str
    proposed: ProposedChange | None = None


def check_places(text: str) -> None:
    """Raises InvalidInput for a placeholder that names no action."""
    if len(_BEGUN.findall(text)) != len(_PLACE.findall(text)):
        raise InvalidInput("answer", "Use {{action.NAME}} with the name of an action, such as {{action.stock}}.")


async def filled_answer(text: str, actions: Callable[[], Awaitable[AnswerActions | None]]) -> FilledAnswer | None:
    """The text with results in place of its placeholders. None if an action returns nothing, because half an answer is
    worse than none. Results are data: nothing in them becomes a link, a picture, a citation or a placeholder. An action
    that changes something leaves its place empty, and is proposed."""
    names = _PLACE.findall(text)
    if not names:
        return FilledAnswer(text)
    callable_now = await actions()
    results = await callable_now.results_of(names) if callable_now else None
    if results is None:
        return None
    harmless = {name: _harmless(result) for name, result in results.items()}
    filled = _PLACE.sub(lambda place: harmless[place[1]], text)
    proposed = callable_now.proposed if callable_now else None
    return FilledAnswer(filled.strip() if proposed else filled, proposed)


def _harmless(result: str) -> str:
    guard = OutputGuard(sources=set(), link_hosts=(), max_chars=_LONGEST)
    return guard.feed(result) + guard.close()

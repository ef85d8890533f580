"""A curated answer with what actions return in it: {{action.stock}} stands for the result of the action stock."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from app.actions.action_calls import AnswerActions
from app.answers.guard.output_guard import OutputGuard
from app.core.confirmation import ProposedChange
from app.core.errors import InvalidInput

_PLACE: Final = re.compile(r"\{\{\s*+action\.([a-z][a-z0-9_]{0,39}+)\s*+\}\}")
_BEGUN: Final = re.compile(r"\{\{\s*+action\b")
_LONGEST: Final = 20_000


@dataclass(frozen=True, slots=True)
class FilledAnswer:
    """`proposed` is what the visitor is asked to confirm below the text."""

    text: str
    proposed: ProposedChange | None = None


def check_places(field: str, text: str) -> None:
    """Raises InvalidInput for a place that names no action."""
    if len(_BEGUN.findall(text)) != len(_PLACE.findall(text)):
        raise InvalidInput(field, "Write {{action.NAME}} with the name of an action, such as {{action.stock}}.")


async def filled_answer(text: str, actions: Callable[[], Awaitable[AnswerActions | None]]) -> FilledAnswer | None:
    """The text with results in their places; as it is where it has none. None where an action returns nothing: half an
    answer would be worse than none. A result is data: nothing in it is a link, a picture, a citation or a place. An
    action that changes something leaves its place empty, and is proposed."""
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

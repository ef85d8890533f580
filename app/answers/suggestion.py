"""An answer that the chat model drafted for a gap from the pages. It is an operator's to change and to save."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class SuggestionState(StrEnum):
    DRAFTED = "drafted"
    NOT_SAID = "not_said"  # the pages do not hold the answer, or the draft rested on none of them
    WITHHELD = "withheld"  # by the provider's filter or by ours


@dataclass(frozen=True, slots=True)
class SuggestedSource:
    """A page that the draft rests on; `url` has the section's anchor where there is one."""

    url: str
    title: str
    as_of: date | None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`text` is "" and `sources` are empty unless it was drafted."""

    state: SuggestionState
    text: str = ""
    sources: tuple[SuggestedSource, ...] = ()

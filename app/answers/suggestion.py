"""An answer to a gap that the chat model drafted from the pages, for an operator to edit and save."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Annotated


class SuggestionState(StrEnum):
    DRAFTED = "drafted"
    NOT_SAID = "not_said"  # the pages do not have the answer, or the draft cites none of them
    WITHHELD = "withheld"  # by the provider's filter or ours


@dataclass(frozen=True, slots=True)
class SuggestedSource:
    """A page that the draft cites; `url` has the section's anchor if there is one."""

    url: str
    title: str
    as_of: date | None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """`sources` are empty unless it was drafted."""

    state: Annotated[
        SuggestionState, "drafted; not_said: the pages do not contain the answer; withheld: a filter stopped the draft."
    ]
    text: Annotated[str, 'Text for the `answer` of a curated answer; "" unless drafted.'] = ""
    sources: Annotated[tuple[SuggestedSource, ...], "The pages that support the draft."] = ()

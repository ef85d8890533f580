"""What we say ourselves, where neither a page nor a model speaks."""

from dataclasses import dataclass
from functools import cache

from app.core.text.languages import LANGUAGES, language_table


@dataclass(frozen=True, slots=True)
class CannedMessages:
    """`not_found`: nothing answers the question; `closest_sections` introduces sections that may; `see_also` introduces
    sections beside the answer; `withheld`: the answer must not be shown; `cannot_search`: the search is away;
    `your_page`: the title of what the visitor's own browser told us; `person_asked`: somebody was called;
    `person_away`: nobody can be called before {moment}, in the time zone {zone};
    `unconfirmed`: said of a sentence, in brackets behind it; `file_page` names a page of a file, with {page} for its
    number; `internal_document`: said of a source that no link leads to; `to_confirm`: said where the visitor is asked
    to confirm a change."""

    not_found: str
    closest_sections: str
    see_also: str
    withheld: str
    cannot_search: str
    your_page: str
    person_asked: str
    person_away: str
    unconfirmed: str
    file_page: str
    internal_document: str
    to_confirm: str


@cache
def canned_messages(language: str | None) -> CannedMessages:
    """In the language (BCP 47 primary subtag), in English where we do not speak it."""
    return CannedMessages(**language_table(language if language in LANGUAGES else "en")["words"])

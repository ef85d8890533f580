"""The product's own sentences, where neither a page nor a model provides the text."""

from dataclasses import dataclass
from functools import cache

from app.core.text.languages import LANGUAGES, language_table


@dataclass(frozen=True, slots=True)
class CannedMessages:
    """Messages in one language, some with placeholders. `not_found`: nothing answers the question; `closest_sections`
    introduces sections that may; `page_language`: a quoted page is in {language}, `sections_language`: the sections
    are; `withheld`: the answer must not be shown; `cannot_search`: search is down; `your_page`: title of the page as
    the visitor's browser reports it; `person_asked`: a person was called; `person_away`: nobody can be called before
    {moment} in the time zone {zone}; `unconfirmed`: in brackets after a sentence; `file_page`: page {page} of a file;
    `internal_document`: a source without a link; `to_confirm` introduces a change to confirm; `which_one` asks back,
    before a list of names; `written_by_program`: below an answer by mail."""

    not_found: str
    closest_sections: str
    page_language: str
    sections_language: str
    withheld: str
    cannot_search: str
    your_page: str
    person_asked: str
    person_away: str
    unconfirmed: str
    file_page: str
    internal_document: str
    to_confirm: str
    which_one: str
    written_by_program: str


@cache
def canned_messages(language: str | None) -> CannedMessages:
    """In the language (BCP 47 primary subtag), or in English if Docent does not speak it."""
    return CannedMessages(**language_table(language if language in LANGUAGES else "en")["words"])

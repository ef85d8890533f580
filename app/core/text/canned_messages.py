"""The product's own sentences, where neither a page nor a model provides the text."""

from dataclasses import dataclass
from functools import cache

from app.core.text.languages import LANGUAGES, language_table


@dataclass(frozen=True, slots=True)
class CannedMessages:
    """`not_found`: nothing answers the question; `closest_sections` introduces sections that may; `page_language` names
    the {language} of a quoted page, `sections_language` that of such sections; `withheld`: the answer must not be
    shown; `cannot_search`: search is down; `your_page`: title of what the visitor's browser reported; `person_asked`:
    somebody was called; `person_away`: nobody can be called before {moment}, in the time zone {zone}; `unconfirmed`:
    follows a sentence in brackets; `file_page` names page {page} of a file; `internal_document`: a source without a
    link; `to_confirm`: introduces a change for the visitor to confirm; `which_one`: asks back, before names;
    `written_by_program`: below an answer that is mailed."""

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

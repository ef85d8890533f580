"""Weighs passages by the kind of their page: news, posts and job advertisements were true on their day or for somebody,
whereas help, prices and policies are meant for every visitor."""

import re
from functools import cache

from app.answers.writing.answer_context import Source
from app.answers.writing.fitted_weights import fitted_weights
from app.core.text.languages import LANGUAGES, any_of, language_table


def kind_odds(source: Source) -> float:
    """What its kind of page, by the parts of its address, adds to the log odds that a passage is the answer."""
    return fitted_weights("page")["report"] if _report().search(source.url) else 0.0


@cache
def _report() -> re.Pattern[str]:
    parts = any_of(part for language in sorted(LANGUAGES) for part in language_table(language)["reports"])
    return re.compile(rf"/(?:{parts})(?=[/#.]|\Z)|/20\d\d[/-]")

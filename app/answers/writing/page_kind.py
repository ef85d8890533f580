"""Whose statement a page is, and of when: what news, posts and job advertisements say was true on their day, or of
somebody; help, prices and policies are meant for every visitor."""

import re
from typing import Final

from app.answers.writing.answer_context import Source

# Log odds: as much as decides between passages that are nearly equal.
_REPORT_ODDS: Final = -0.5
_REPORT: Final = re.compile(
    r"/(?:new|news|newsletters?|blogs?|press|presse|prensa|careers?|jobs|hiring|karriere|archives?|aktuelles|neuigkeiten"
    r"|noticias|novedades|actualit[eé]s|notizie|nieuws|aktualnosci)(?=[/#.]|\Z)|/20\d\d[/-]",
)


def kind_odds(source: Source) -> float:
    """What its kind of page, by the parts of its address, adds to the log odds that a passage is the answer."""
    return _REPORT_ODDS if _REPORT.search(source.url) else 0.0

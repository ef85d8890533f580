"""What the form of a passage says, whatever its words mean: that it names a price, tells of changes or lists links."""

import re
from typing import Final

from app.answers.writing.passages import Passage
from app.core.text.words import folded_words

# Log odds. Few questions of the judged sets meet these, so they are no fitted weights: large enough to decide between
# passages that come near each other, and no larger.
_PRICE_ODDS: Final = 0.5
_PRICED_NAME_ODDS: Final = 1.5  # a card of what was asked for: its name above, and a price with few words beside it
_CHANGES_ODDS: Final = -1.0
_LINKS_ODDS: Final = -1.0

_ASKS_PRICE: Final = re.compile(
    r"\b(?:costs?|prices?|how much|fees?|kosten|kostet|preise?|co[uû]te?|prix|cuestan?|precios?|costa|prezz[oi]"
    r"|preços?)\b",
    re.IGNORECASE,
)
_PRICE: Final = re.compile(r"[€$£¥₹]\s?\d|\d\s?(?:[€£¥₹]|EUR\b|USD\b|GBP\b|euros?\b|dollars?\b)")

_ASKS_CHANGES: Final = re.compile(
    r"\d\.\d|\b(?:new|newest|latest|news|chang\w+|versions?|releas\w+|upgrad\w+|updat\w+|histor\w+|since|deprecat\w+)\b",
    re.IGNORECASE,
)
# One of the names from the page's title down to the heading: "Changelog", "What's new in 2.4", "v1.2.0 (2026-02-01)".
_TELLS_CHANGES: Final = re.compile(
    r"(?:[\d.]+\s+)?(?:what['\u2019]?s new|release notes?|change ?logs?|(?:version|release|revision) history"
    r"|(?:(?:major|other|notable|breaking|api)\s)?changes (?:in|since|from|between|for) (?:version |release )?v?\d).*"
    r"|(?:version |release )?\[?v?\d+\.\d+(?:\.\d+)*\]?(?:[ ,:\u2013-]*\(?\d{4}-\d\d-\d\d\)?)?",
    re.IGNORECASE,
)

# The title of a page, or a heading, under which words are listed with where they are explained.
_INDEX: Final = re.compile(
    r"(?:[^.:\u2013\u2014-]{1,20}[.:\u2013\u2014-] ?)?"
    r"(?:(?:(?:general|concepts?|options?|variables?|functions?|keywords?|modules?|subject|alphabetical) )?index"
    r"|genindex|(?:table of )?contents|site ?map|(?:stichwort|inhalts)verzeichnis|sachregister)",
    re.IGNORECASE,
)

_LINK: Final = re.compile(r"\[([^\[\]\n]*+)\]\([^()\s]*+\)")
_LINKS: Final = 3
_LINKED_SHARE: Final = 0.6


def form_odds(question: str, passage: Passage) -> float:
    """The log odds that the passage's form adds to its being the answer."""
    odds = 0.0
    if _ASKS_PRICE.search(question) and _PRICE.search(passage.text):
        odds += _PRICED_NAME_ODDS if _is_named(question, passage) else _PRICE_ODDS
    if not _ASKS_CHANGES.search(question) and any(map(_TELLS_CHANGES.fullmatch, passage.names)):
        odds += _CHANGES_ODDS
    if _is_list_of_links(passage.text) or any(map(_INDEX.fullmatch, passage.names)):
        odds += _LINKS_ODDS
    return odds


def _is_named(question: str, passage: Passage) -> bool:
    """Whether the question says the whole name of what the passage is about."""
    name = set(folded_words(passage.names[-1])) if passage.names else set()
    return bool(name) and name <= set(folded_words(question))


def _is_list_of_links(text: str) -> bool:
    """A menu, an index or a table of contents: nearly all of its words lead elsewhere."""
    linked = _LINK.findall(text)
    return len(linked) >= _LINKS and sum(map(len, linked)) >= _LINKED_SHARE * len(_LINK.sub(r"\1", text))

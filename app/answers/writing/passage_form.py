"""What the form of a passage adds to its odds, whatever its words mean: whether it names a price or a phone number,
reports changes or old news, defines, compares, asks, or lists links."""

import re
from functools import lru_cache
from typing import Final

from app.answers.writing.answer_context import Source
from app.answers.writing.passages import Passage
from app.core.text.markdown.section_text import unnumbered
from app.core.text.questions.asked_details import PRICE, asked_details, without_details
from app.core.text.sentences import asks, points_back, sentences
from app.core.text.words import folded_words, normalised

# Log odds. Too few questions of the judged sets concern these to fit weights: they are just large enough to decide
# between passages that are nearly equal.
_PRICE_ODDS: Final = 0.5
_PRICED_NAME_ODDS: Final = 1.5  # a card of what was asked for: its name above a price and few words
_CHANGES_ODDS: Final = -1.0
_LINKS_ODDS: Final = -1.0
_QUESTIONS_ODDS: Final = -1.0
_DEFINES_ODDS: Final = 0.8
_OLD_POST_ODDS: Final = -1.0
_OLD_DAYS: Final = 180

_ASKS_CHANGES: Final = re.compile(
    r"\d\.\d|\b(?:new|newest|latest|news|chang\w+|releas\w+|upgrad\w+|updat\w+|histor\w+|since|deprecat\w+)\b"
    # "the version of my package" is no question about this product's
    r"|\b(?:which|what|this|an?|old|older|earlier|previous|last|next|current|between|from|in) versions?\b"
    r"|\bversions? v?\d",
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

_ASKS_WHAT: Final = re.compile(
    r"(?:so |and |[\w.-]{1,40}: )?(?:what(?:['\u2019]s| is| are| does)|(?:the )?meaning of"
    r"|was (?:ist|sind|bedeutet|hei\u00dft)|qu[e\u00e9] (?:es|son|significa)"
    r"|qu['\u2019]est-ce que? (?:c['\u2019]est que )?)\s*"
    r"(?:(?:an?|the|eine?|d(?:er|ie|as)|una?|el|l[ae]|une?)\s+)?"
    r"(?P<name>\W?\w.{1,39}?)(?:\s+(?:means?|stands? for|do|(?:good )?for))?[\s?]*"
    r"|(?P<named>\w[^,?]{1,39}), what(?:['\u2019]s| is) (?:it|that|this)[\s?]*",
    re.IGNORECASE,
)
_NAME_WORDS: Final = 4
_QUOTES: Final = "\"'`\u2018\u2019\u201c\u201d "
_IS: Final = r"(?:is|are|means?|stands for|refers? to|ist|sind|bedeutet|es|son|significa|est|sont|signifie)\b"

# A post was true on its day; other pages are true now.
_POST: Final = re.compile(
    r"/(?:blogs?|news|aktuelles|neuigkeiten|noticias|novedades|actualit[eé]s|notizie|nieuws|aktualnosci|press|presse"
    r"|20\d\d/[01]?\d)/",
)

_LINK: Final = re.compile(r"\[([^\[\]\n]*+)\]\([^()\s]*+\)")
_LINKS: Final = 3
_LINKED_SHARE: Final = 0.6
_QUESTIONS: Final = 2

_ITEM_MARKUP: Final = re.compile(r"\A\s*+(?:(?:[-*+]|\d{1,9}[.)])\s++)++")
_TITLES: Final = 6
_TITLE_WORDS: Final = 8
_SAYS: Final = re.compile(rf":|[.;!?]\Z|{PRICE.told.pattern}")


def form_odds(question: str, passage: Passage) -> float:
    """What the passage's form adds to the log odds that it is the answer."""
    odds = 0.0
    asks_price, asks_changes = _asks(question)
    if asks_price and PRICE.told.search(passage.text):
        odds += _PRICED_NAME_ODDS if _is_named(question, passage) else _PRICE_ODDS
    is_all = not without_details(question)
    odds += sum(
        each.alone if is_all else each.odds for each in asked_details(question) if each.told.search(passage.text)
    )
    if (name := _asked_name(question)) and _defines(passage, name):
        odds += _DEFINES_ODDS
    if not asks_changes:
        odds += _CHANGES_ODDS if any(map(_TELLS_CHANGES.fullmatch, passage.names)) else 0.0
        odds += _OLD_POST_ODDS if _is_old_post(passage.source) else 0.0
    is_contents = _is_list_of_links(passage.text) or _is_list_of_titles(passage.text)
    if is_contents or any(map(_INDEX.fullmatch, passage.names)):
        odds += _LINKS_ODDS
    elif _asks_mostly(passage.text):
        odds += _QUESTIONS_ODDS
    return odds


@lru_cache(maxsize=16)  # an answer looks at many passages for one question
def _asks(question: str) -> tuple[bool, bool]:
    """Whether it asks for a price, for what has changed."""
    return bool(PRICE.asked.search(question)), bool(_ASKS_CHANGES.search(question))


@lru_cache(maxsize=16)
def _asked_name(question: str) -> str:
    """The one thing whose meaning is asked for; "" if something else is asked."""
    asked = _ASKS_WHAT.fullmatch(question.strip())
    name = (asked["name"] or asked["named"]).strip(_QUOTES) if asked else ""
    return "" if len(name.split()) > _NAME_WORDS or points_back(name) else name


def _defines(passage: Passage, name: str) -> bool:
    """Whether it is a definition of the name, opens the section of that name, or has a sentence that defines it."""
    told = [passage.term, *([unnumbered(passage.heading)] if passage.start == 0 else [])]
    return normalised(name) in map(normalised, told) or _definition(name).search(passage.text) is not None


@lru_cache(maxsize=16)
def _definition(name: str) -> re.Pattern[str]:
    """Matches a sentence that defines the name, "A lot (of shares) is ...", "lots, i.e. ...", or an abbreviation in
    brackets after its long form."""
    words = f"{re.escape(name.removesuffix('s'))}s?"
    begins = r"(?:\A|[.!?:]\s+|\n\s*(?:[-*]\s+)?)(?:(?:an?|the|eine?|d(?:er|ie|as)|una?|el|l[ae]s?|une?)\s+)?"
    says = rf"{begins}[*`\"'\u201c\u2018]*{words}[*`\"'\u201d\u2019]*(?: ?\([^()]{{1,60}}\))?(?:,[^,.]{{1,80}},)? {_IS}"
    is_abbreviation = name.isupper()
    spelt = rf"|\w ?\({words}\)" if is_abbreviation else ""
    flags = re.NOFLAG if is_abbreviation else re.IGNORECASE
    return re.compile(rf"{says}|\b{words}, (?:i\.e\.|that is)[ ,]{spelt}", flags)


def without_told(question: str, text: str) -> str:
    """The question without its words for details, such as "phone number", if the text has every detail that is
    asked."""
    asked = asked_details(question)
    return without_details(question) if asked and all(each.told.search(text) for each in asked) else question


def _is_old_post(source: Source) -> bool:
    if source.day is None or source.as_of is None or not _POST.search(source.url):
        return False
    return (source.as_of - source.day).days > _OLD_DAYS


def _is_named(question: str, passage: Passage) -> bool:
    """Whether the question says the whole name of what the passage is about."""
    name = set(folded_words(passage.names[-1])) if passage.names else set()
    return bool(name) and name <= set(folded_words(question))


def _asks_mostly(text: str) -> bool:
    """Whether more than half of its sentences are questions, such as those that a page answers further down."""
    if not asks(text):
        return False
    asked = [asks(said) for line in text.splitlines() for said in sentences(_ITEM_MARKUP.sub("", line))]
    return sum(asked) >= _QUESTIONS and 2 * sum(asked) > len(asked)


def _is_list_of_links(text: str) -> bool:
    """A menu, an index or a table of contents: nearly all of its words are links."""
    linked = _LINK.findall(text)
    return len(linked) >= _LINKS and sum(map(len, linked)) >= _LINKED_SHARE * len(_LINK.sub(r"\1", text))


def _is_list_of_titles(text: str) -> bool:
    """A table of contents whose links are unknown: items within items, none of which says anything."""
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) >= _TITLES and any(line[0].isspace() for line in lines) and all(map(_is_title, lines))


def _is_title(line: str) -> bool:
    item = _ITEM_MARKUP.match(line)
    title = line[item.end() :] if item else ""
    return bool(title) and len(title.split()) <= _TITLE_WORDS and not _SAYS.search(title)

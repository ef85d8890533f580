"""Details that visitors ask for with words that pages need not use: a price, a telephone number, an address, opening
hours, a weight."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from app.core.text.languages import LANGUAGES, in_any_language, language_table
from app.core.text.number_kinds import counts_in
from app.core.text.words import folded_words

# The languages whose insignificant words mean nothing in one another; those of others include words such as "care".
_LANGUAGES: Final = ("en", "de", "es", "fr", "it")
_PHONE_NUMBER: Final = r"(?:\+\d|\b0\d|\(0)[\d ()/\-]{6,}\d|\b\d{3} \d{3} \d{3}\b"
_TIME: Final = r"\d{1,2}[:.h]\d\d(?: ?(?:uhr|h|a\.?m\.?|p\.?m\.?))?"
_WORDS_HERE: Final = re.compile("<([a-z]+)>")


@dataclass(frozen=True, slots=True)
class Detail:
    """`name` is the key of its words in the table `details` of the language files. `states` is a regular expression for
    passages that contain the detail, in which `<name>` stands for the words under that key. `is_contact`: the detail
    may be all that a visitor wants. `pages` are the keys of terms for pages that contain it."""

    name: str
    states: str
    is_contact: bool = True
    pages: tuple[str, ...] = ()

    @property
    def request(self) -> re.Pattern[str]:
        """Matches words that ask for the detail, in any language that Docent speaks."""
        return _pattern(f"<{self.name}>")

    @property
    def answering(self) -> re.Pattern[str]:
        """Matches a passage that contains the detail."""
        return _pattern(self.states)

    @property
    def called(self) -> str:
        """Terms for pages that contain the detail, for a keyword search."""
        return " ".join(
            language_table(language)["details"][page] for page in self.pages for language in sorted(LANGUAGES)
        )


_PRICE_STATED: Final = r"[€$£¥₹]\s?\d|\d\s?(?:[€£¥₹]|EUR\b|USD\b|GBP\b|euros?\b|dollars?\b)"
_DETAILS: Final = (
    Detail("price", _PRICE_STATED, is_contact=False),
    Detail("phone", _PHONE_NUMBER, pages=("contact_pages",)),
    Detail("reach", rf"{_PHONE_NUMBER}|\w@\w", pages=("contact_pages",)),
    Detail("contact", rf"{_PHONE_NUMBER}|\w@\w", pages=("contact_pages",)),
    Detail(
        "place",
        r"\b(?:\d{4,5}(?: [A-Z]{2})? +[A-ZÀ-Þ]\w{2,}|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b)",
        pages=("contact_pages", "place_pages"),
    ),
    Detail("hours", rf"(?i:{_TIME})\s?(?:[\u2013\u2014-]|<until>)\s?\d{{1,2}}\b"),
    Detail("weight", r"\d\s?(?:kg|g|lbs?|oz)\b", is_contact=False),
)


@cache
def _pattern(form: str) -> re.Pattern[str]:
    """The form with words in place of `<name>`. Only these ignore case, unlike the capitals of a postcode."""
    return re.compile(_WORDS_HERE.sub(lambda found: in_any_language("details", found[1]), form))


@lru_cache(maxsize=16)  # an answer checks many passages against one question
def requested_details(question: str) -> tuple[Detail, ...]:
    return tuple(each for each in _DETAILS if each.request.search(question))


@lru_cache(maxsize=16)
def without_details(question: str) -> str:
    """The question without its words for the details; "" if no significant word is left."""
    rest = _without_requests(question)
    return "" if _light_words().issuperset(folded_words(rest)) else " ".join(rest.split())


def has_requested_contacts(question: str, text: str) -> bool:
    """Whether the question asks only for contact details, as in "where are you?", and the text has all of them."""
    details = requested_details(question)
    return (
        bool(details)
        and all(each.is_contact and each.answering.search(text) for each in details)
        and not without_details(question)
    )


def is_completed(question: str, text: str) -> bool:
    """Whether the question names no subject and no detail, as "why?" or "how many years is it?", and the text has
    numbers in every unit that it asks for. Only the conversation can tell whether the text answers such a question."""
    return not requested_details(question) and all(counts_in(word, text) for word in _own_words(question))


def asks_only_for_detail(question: str) -> bool:
    """Whether the question names no subject for the price or weight that it asks for."""
    return any(not each.is_contact for each in requested_details(question)) and not _own_words(question)


def lacks_detail(question: str, text: str) -> bool:
    """Whether the question asks only for details of an earlier subject, such as the price of "it", and the text has
    none of them."""
    details = requested_details(question)
    return bool(details) and not _own_words(question) and not any(each.answering.search(text) for each in details)


def _without_requests(question: str) -> str:
    for each in requested_details(question):
        question = each.request.sub(" ", question)
    return question


def _own_words(question: str) -> list[str]:
    return [word for word in folded_words(_without_requests(question)) if word not in _empty_words()]


@cache
def _empty_words() -> frozenset[str]:
    return _words_of(_LANGUAGES, ("light", "joins", "points"))


@cache
def _light_words() -> frozenset[str]:
    """Insignificant words of all languages, because the rest of such a question is too short to detect its language."""
    return _words_of(LANGUAGES, ("light", "joins"))


def _words_of(languages: Iterable[str], keys: Iterable[str]) -> frozenset[str]:
    listed = [language_table(language)["follow_up"].get(key, ()) for language in languages for key in keys]
    return frozenset(word for phrases in listed for phrase in phrases for word in folded_words(phrase))

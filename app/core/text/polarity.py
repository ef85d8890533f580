"""Whether a text denies something, limits it or contradicts it, by the words of `polarity` in the language files.

Denials are recognised in all languages with spaces between words, everything else in English alone.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from app.core.text.languages import LANGUAGES, language_table

_FREE: Final = re.compile(r"\bfree\b|(?<![\d.,])[€$£]?0(?![\d.,])", re.IGNORECASE)
_CLAUSE_ENDS: Final = re.compile(r"[,;:.!?()]\s|\s(?:but|and|so|because|since|while|if|when)\s", re.IGNORECASE)
_LACKING: Final = re.compile(r"\A\W{0,4}no\b[^:.]{0,40}:\s", re.IGNORECASE)
_AS_LONG_AS: Final = r"|\bas long as\b"
_NOT_THERE: Final = (
    r"(?:\b(?:no|not|never|cannot)|n['’]t)\b[^.;,]{0,40}\b(?:ship|deliver|send|sell|available|offer|support|serve|operate"
    r"|accept|store|shop|office)\w*\b[^.;,]{0,20}\b(?:to|in|into|for|from)\s(?:the\s)?"
)


def denies(text: str) -> bool:
    """Whether the text says "not" in any of these languages. "No more than 40" does not count as a denial."""
    return bool(_denials().search(_english("denies_nothing").sub(" ", text)))


def without_case(text: str) -> str:
    """The text without the problem that it is about, as in "No light at all: check the adapter"."""
    return _LACKING.sub("", text)


def without_reply(text: str) -> str:
    """The text without "Yes," or "No," at its beginning, which does not deny what follows."""
    return _reply().sub("", text)


def denied_parts(text: str) -> Iterator[str]:
    """For each clause that denies something and is no condition, what follows its first word of denial."""
    text = _english("denies_nothing").sub(" ", without_case(text))
    for clause in _CLAUSE_ENDS.split(text):
        found = _denials().search(clause)
        if found and not is_condition(clause):
            yield clause[found.end() :]


def limits(text: str) -> bool:
    """Whether the text limits something, or denies it in other words than "not"."""
    return bool(_english("limits").search(text))


def is_free(text: str) -> bool:
    return bool(_FREE.search(text))


def speaks_of_paying(text: str) -> bool:
    return bool(_english("pays").search(text))


def is_condition(clause: str) -> bool:
    return bool(_conditions().search(clause))


def has_exception(text: str) -> bool:
    """Whether the text names an exception from what it denies, as in "not without a key"."""
    return bool(_english("exceptions").search(text))


def is_denied_there(name: str, text: str) -> bool:
    """Whether the text denies that something is offered in the place `name`, as in "we do not ship to Norway"."""
    return bool(re.search(rf"{_NOT_THERE}{re.escape(name)}\b", text, re.IGNORECASE))


def is_contrary(statement: str, source: str) -> bool:
    """Whether one text has a word and the other its contrary, and either both deny something or neither does."""
    if denies(statement) != denies(source):
        return False
    return any(
        (one.search(statement) and not other.search(statement) and other.search(source) and not one.search(source))
        or (other.search(statement) and not one.search(statement) and one.search(source) and not other.search(source))
        for one, other in _pairs("contraries")
    )


def are_opposites(one: str, other: str) -> bool:
    """Whether the texts name opposite actions, such as to enable and to disable."""
    return any(
        (first.search(one) and second.search(other)) or (second.search(one) and first.search(other))
        for first, second in _pairs("opposites")
    )


def says_of_all(text: str) -> bool:
    """Whether the text makes a statement about all cases, such as "on every plan"."""
    return bool(_english("wide").search(text))


def is_too_wide(statement: str, source: str) -> bool:
    """Whether the statement is about all cases where the source is limited: "on every plan", but "while on Pro"."""
    every, narrowed = _english("wide"), _english("narrow")
    return bool(
        every.search(statement)
        and not every.search(source)
        and not narrowed.search(statement)
        and narrowed.search(source)
    )


def is_too_narrow(statement: str, source: str) -> bool:
    """Whether the statement says "only at" or the like where the source limits and denies nothing."""
    return bool(_english("only_by").search(statement) and not limits(source) and not denies(source))


@cache
def _english(key: str) -> re.Pattern[str]:
    return _of(language_table("en")["polarity"][key])


@cache
def _reply() -> re.Pattern[str]:
    words = "|".join(language_table("en")["polarity"]["replies"])
    return re.compile(rf"\A\W*(?:{words})\b\W{{0,2}}[,.:;!–—-]\s+", re.IGNORECASE)


@cache
def _denials() -> re.Pattern[str]:
    return _of([word for language in sorted(LANGUAGES) for word in language_table(language)["polarity"]["denies"]])


@cache
def _conditions() -> re.Pattern[str]:
    begins = "|".join(language_table("en")["polarity"]["begins_condition"])
    return re.compile(rf"^\W*(?:{begins})\b{_AS_LONG_AS}", re.IGNORECASE)


@cache
def _pairs(key: str) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    return tuple((_of([one]), _of([other])) for one, other in language_table("en")["polarity"][key])


def _of(words: list[str]) -> re.Pattern[str]:
    """Matches any of `words` (regular expressions) as a whole word."""
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)

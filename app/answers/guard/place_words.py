"""The words by which a sentence and a place of a source are compared."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from itertools import islice
from typing import Any, Final

from app.core.text.polarity import denied_parts
from app.core.text.stated_facts import identifiers_in
from app.core.text.words import folded_words, is_content_word, search_terms

_STEM_CHARS: Final = 6
_ENDING: Final = re.compile(r"(?:ings?|ed|es|s|ly|e)$")
_KEY: Final = re.compile(r"\w[\w.-]*\w|\w")
_CAPITALISED: Final = re.compile(r"(?<![\w'’-])[^\W\d_a-zß-öø-ÿ][\w-]*\w")
_MARKUP: Final = re.compile(r"[*_#`]+")
_OPENS: Final = re.compile(r"(?:^|[.!?]\s+)$")
_DENIED_WORDS: Final = 2
# Verbs between a thing and what is said about it; a page may have a colon or a column instead.
_LIGHT_VERBS: Final = frozenset(
    """
    allow allows comes contain contains cost costs cover covers gets give gives include included includes including
    lets offer offers paid pay pays provide provides take takes
    """.split()  # noqa: SIM905 - reads better than a list
)


def stems(text: str) -> frozenset[str]:
    """The stems of the content words."""
    words = (term.casefold() for term in search_terms(text))
    return frozenset(stem(word) for word in words if is_content_word(word) and word not in _LIGHT_VERBS)


def stem(word: str) -> str:
    """`word` is case-folded."""
    if word.endswith(("ied", "ies")) and len(word) > _STEM_CHARS - 2:
        word = f"{word[:-3]}y"
    return _ENDING.sub("", word)[:_STEM_CHARS] if len(word) > _STEM_CHARS - 2 else word


def denied_stems(text: str) -> frozenset[str]:
    """The stems of the first content words after each word of denial, as in "not carried over" and "no fee"."""
    return frozenset(stem for part in denied_parts(text) for stem in islice(_stems_in_order(part), _DENIED_WORDS))


def _stems_in_order(text: str) -> Iterator[str]:
    for word in folded_words(text):
        yield from stems(word)


def every_stem(text: str) -> frozenset[str]:
    return frozenset(stem(word.casefold()) for word in _KEY.findall(text))


def number_words(numbers: Iterable[str]) -> frozenset[str]:
    return frozenset(f"={number}" for number in numbers)


def is_named(name: str, text: str) -> bool:
    """Whether the text has the name, which may be in the possessive case, in the singular or in the plural."""
    base = name.removesuffix("'s").removesuffix("’s").removesuffix("s")
    if not base or base not in text:
        return False
    forms = {name, name.removesuffix("'s").removesuffix("’s"), f"{name}s", base}
    return any(form in text and re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text) for form in forms)


def names_within(text: str) -> Iterable[str]:
    """Identifiers, and capitalised words; at the beginning of a sentence, only those with further capitals."""
    text = _MARKUP.sub("", text).strip()
    yield from identifiers_in(text)
    for found in _CAPITALISED.finditer(text):
        if not found.group()[1:].islower() or not _OPENS.search(text[max(0, found.start() - 3) : found.start()]):
            yield found.group()


def labels_in(line: str) -> Iterable[str]:
    """The stems of capitalised words in a menu path or in a table row."""
    if line.lstrip().startswith("|"):
        yield from capitalised(line)
    for entry in line.split(" > ")[1:]:
        yield from capitalised(entry)


def capitalised(text: str) -> frozenset[str]:
    """The stems of words with a capital letter."""
    return frozenset(stem(word.casefold()) for word in _CAPITALISED.findall(text))


def other_names(name: str) -> frozenset[str]:
    """Other names of a country, including those of its unions: "EU" for Germany. `name` is case-folded."""
    return _names().get(name.removeprefix("the "), frozenset())


def is_member(name: str) -> bool:
    """Whether the country belongs to a union."""
    return any(name in members for members in _table()["members"].values())


def union_names() -> frozenset[str]:
    return frozenset(name for union in _table()["members"] for name in (union, *other_names(union)))


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("countries.toml").read_text(encoding="utf-8"))


@cache
def _names() -> dict[str, frozenset[str]]:
    table = _table()
    same = {name: frozenset(names) for names in table["same"] for name in names}
    covered = {
        member: same.get(union, frozenset({union})) for union, members in table["members"].items() for member in members
    }
    return same | covered

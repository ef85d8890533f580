"""Whether a visitor wants to talk to a person, in the languages of our own words.

The whole last sentence must be such a wish, beside greetings and courtesy: a question that merely speaks of people
("What does the page on human resources say?") is a question for the agent.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from app.core.text.languages import LANGUAGES, language_table
from app.core.text.plain_words import plain_words, without_marks

_MAX_CHARS: Final = 500
_SENTENCES: Final = re.compile(r"[.!?;:\n\u037e\u061f\u3002\uff01\uff1f\u0964]+")


def asks_for_person(message: str) -> bool:
    """Whatever the language of the rest: such a sentence is too short to tell one by."""
    if len(message) > _MAX_CHARS:
        return False
    sentences = [words for part in _SENTENCES.split(message) if (words := plain_words(part))]
    return bool(sentences) and any(
        pattern.fullmatch(sentences[-1].replace(" ", "") if is_joined else sentences[-1])
        for is_joined, pattern in _patterns()
    )


@cache
def _patterns() -> tuple[tuple[bool, re.Pattern[str]], ...]:
    """Of each language: whether it puts no blanks between words, and its wishes, which stand with the languages."""
    wishes = [language_table(language)["handoff"] for language in sorted(LANGUAGES)]
    return tuple((each.get("is_joined", False), _pattern(each)) for each in wishes)


def _pattern(said: Mapping[str, Any]) -> re.Pattern[str]:
    blank = "" if said.get("is_joined") else " "
    wishes = "|".join(said["wishes"]).replace("{person}", said["person"])
    # Bounded, for some of these overlap: their combinations must stay few.
    return re.compile(
        without_marks(f"(?:(?:{said['before']}){blank}){{0,5}}(?:{wishes})(?:{blank}(?:{said['after']})){{0,3}}")
    )

"""Headings as the questions that they answer: "Change your card" as "How do I change my card?"."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from app.core.text.questions.question_parts import asks_something
from app.core.text.words import folded_words, normalised


def heading_question(heading: str, language: str | None) -> str | None:
    """The heading if it asks; of an instruction, the question that it answers; else None. `language` is a BCP 47
    primary subtag."""
    if asks_something(heading, language):
        return None if asks_visitors(heading, language) else heading
    return instruction_question(heading, language)


def asks_visitors(question: str, language: str | None) -> bool:
    """ "Are you ready to start?" asks the reader."""
    asked = tuple(heading_words(language).get("asks_visitors", ()))
    return f"{normalised(question)} ".startswith(tuple(f"{words} " for words in asked))


def instruction_question(heading: str, language: str | None) -> str | None:
    """ "Change your card" as "How do I change my card?"; None for what does not begin with a known verb."""
    table = heading_words(language)
    first, *rest = heading.rstrip(" .!:").split() or [""]
    if not rest or first.casefold() not in table.get("verbs", ()):
        return None
    is_noun = rest[0].casefold() in table["after_nouns"] and f"{first} {rest[0]}".casefold() not in table["two_words"]
    words = [table["turned"].get(word.casefold(), word) for word in rest]
    if is_noun or not table["never"].isdisjoint(folded_words(" ".join(words))):
        return None
    return str(table["form"]).format(" ".join((first.casefold(), *words)))


def heading_words(language: str | None) -> dict[str, Any]:
    """What heading_words.toml has for the language; empty without an entry."""
    return _tables().get(language or "", {})


@cache
def _tables() -> dict[str, dict[str, Any]]:
    told = tomllib.loads(resources.files(__package__).joinpath("heading_words.toml").read_text(encoding="utf-8"))
    lists = ("verbs", "after_nouns", "never", "in_headlines")
    return {
        language: table | {name: frozenset(table.get(name, "").split()) for name in lists}
        for language, table in told.items()
    }

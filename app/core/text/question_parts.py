"""Splits a text into its questions: "What does delivery cost, and how long does it take?"; finds the names that a
question compares: "How does the Plus plan differ from Pro?"; and turns headings into the questions that they answer:
"Change your card" into "How do I change my card?"."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from app.core.text.languages import LANGUAGES, any_of, in_any_language, language_table
from app.core.text.sentences import asks, sentences
from app.core.text.words import folded_words, normalised

_ENGLISH: Final = "en"
_FEWEST_WORDS: Final = 3  # "and when?" depends on the words before it
_MOST_PARTS: Final = 3
_OPENERS: Final = "¿¡\"'«„“( "
_NEVER: Final = re.compile(r"(?!)")


def question_parts(text: str, language: str | None) -> list[str]:
    """The text's two or three questions, each preceded by the statements before the first one; [] for a text with one
    question or more than three. `language` is the text's (BCP 47 primary subtag), English if None."""
    statements: list[str] = []
    questions: list[str] = []
    for clause, is_asked in _clauses(text, language or _ENGLISH):
        if is_asked:
            questions.append(clause)
        elif questions:
            questions[-1] = f"{questions[-1]} {clause}"
        else:
            statements.append(clause)
    return [" ".join([*statements, each]) for each in questions] if 1 < len(questions) <= _MOST_PARTS else []


def asks_something(text: str, language: str | None) -> bool:
    """Whether any clause of the text is a question, rather than the description of a situation."""
    return any(is_asked for _, is_asked in _clauses(text, language or _ENGLISH))


def _clauses(text: str, language: str) -> Iterator[tuple[str, bool]]:
    """(clause, whether it asks) in order."""
    forms = _forms(language)
    for sentence in sentences(text):
        parts = list(_cut(sentence, forms.border))
        for part, is_joined in parts:
            yield part, forms.ask(part, is_joined=is_joined) or (len(parts) == 1 and asks(part))


def _cut(sentence: str, border: re.Pattern[str]) -> Iterator[tuple[str, bool]]:
    """Split at borders with enough words on both sides; yield (part, whether a conjunction joins it to the next)."""
    borders = list(border.finditer(sentence))
    ends = [*(found.start() for found in borders), len(sentence)]
    start = 0
    for found, end in zip(borders, ends[1:], strict=True):
        if _says_enough(sentence[found.end() : end]) and _says_enough(sentence[start : found.start()]):
            yield sentence[start : found.start()], bool(folded_words(found[0]))
            start = found.end()
    yield sentence[start:], True


def _says_enough(part: str) -> bool:
    return len(folded_words(part)) >= _FEWEST_WORDS


@dataclass(frozen=True, slots=True)
class _Forms:
    """Patterns of a language. `border` separates two questions, `begin` matches the beginning of one. A clause that
    begins with `may_tell` may instead say when or where something happens."""

    border: re.Pattern[str] = _NEVER
    begin: re.Pattern[str] = _NEVER
    may_tell: re.Pattern[str] = _NEVER

    def ask(self, clause: str, *, is_joined: bool) -> bool:
        opening = clause.lstrip(_OPENERS)
        return bool(self.begin.match(opening)) and (is_joined or not self.may_tell.match(opening))


@cache
def _forms(language: str) -> _Forms:
    """Without known words for a language, only sentences separate its questions."""
    table = language_table(language) if language in LANGUAGES else None
    if table is None or not table["questions"]["begin"]:
        return _Forms()
    joins, opens = (f"(?:{any_of(table['follow_up'][key])})" for key in ("joins", "opens"))
    begin = rf"(?:{opens}\s+)?(?:{any_of(table['questions']['begin'])})(?!\w)"
    return _Forms(
        re.compile(rf"(?:[,;:]\s+(?:{joins}\s+)?|\s+{joins}\s+)(?={begin})", re.IGNORECASE),
        re.compile(begin, re.IGNORECASE),
        re.compile(rf"(?:{any_of(table['questions']['may_tell']) or _NEVER.pattern})(?!\w)", re.IGNORECASE),
    )


_NAME: Final = r"([^;:?!؟？()\n]{1,60}?)"
_QUOTE_MARKS: Final = re.compile(r"\A[\"'«„“`]|[\"'»“”`]\Z")


def compared_names(question: str) -> list[str]:
    """The two or more names that a question compares, as it writes them, without articles; [] if it compares none."""
    for comparison in _comparisons():
        if found := comparison.search(question):
            names = [*found[1].split(","), found[2]]
            return [name for each in names if (name := _bare(each))]
    return []


def _bare(name: str) -> str:
    return _QUOTE_MARKS.sub("", _article().sub("", name.strip()).strip())


@cache
def _comparisons() -> Sequence[re.Pattern[str]]:
    end = rf"(?=\s+{in_any_language('comparison', 'ends')}|\s*(?:[?!.,;:(؟？]|\Z))"
    forms = [form for language in sorted(LANGUAGES) for form in language_table(language)["comparison"]["forms"]]
    return [re.compile(form.replace("{name}", _NAME).replace("{end}", end), re.IGNORECASE) for form in forms]


@cache
def _article() -> re.Pattern[str]:
    listed = (language_table(language)["comparison"]["articles"] for language in sorted(LANGUAGES))
    return re.compile(rf"\A(?:{'|'.join(filter(None, listed))})(?:\s{{1,3}}|(?<='))", re.IGNORECASE)


def heading_question(heading: str, language: str | None) -> str | None:
    """The question that a heading answers: the heading itself if it asks, or made from an instruction. None for any
    other heading, such as "When prices change" or "What the light means". `language` is a BCP 47 primary subtag."""
    table = heading_words(language or _ENGLISH)
    instruction = heading.casefold().removeprefix(table.get("how_to", ""))
    if made := instruction_question(heading[len(heading) - len(instruction) :], language):
        return made
    is_marked = asks(heading)
    if not is_marked and re.match(table.get("tells", _NEVER), normalised(heading)):
        return None
    first_asks = next((is_asked for _, is_asked in _clauses(heading, language or _ENGLISH)), False)
    may_tell = not is_marked and _forms(language or _ENGLISH).may_tell.match(heading)
    return heading if (first_asks or is_marked) and not (may_tell or asks_visitors(heading, language)) else None


def asks_visitors(question: str, language: str | None) -> bool:
    """Whether a question is addressed to the reader, such as "Are you ready to start?"."""
    openings = tuple(heading_words(language).get("asks_visitors", ()))
    return f"{normalised(question)} ".startswith(tuple(f"{words} " for words in openings))


def instruction_question(heading: str, language: str | None) -> str | None:
    """ "How do I change my card?" for "Change your card"; None for a heading that does not begin with a known verb."""
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
    """The language's table in heading_words.toml; {} if there is none."""
    return _tables().get(language or "", {})


@cache
def _tables() -> dict[str, dict[str, Any]]:
    tables = tomllib.loads(resources.files(__package__).joinpath("heading_words.toml").read_text(encoding="utf-8"))
    lists = ("verbs", "after_nouns", "never", "in_headlines")
    return {
        language: table | {name: frozenset(table.get(name, "").split()) for name in lists}
        for language, table in tables.items()
    }

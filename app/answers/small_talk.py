"""Talk that is no question: greetings, thanks, goodbyes, "who are you" and "ok".

The whole message must be made of such phrases, which stand with the languages: "hi, how do I cancel?" is a question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from app.agents.agent import AgentConfig
from app.answers.handoff import ReadyAnswer
from app.core.text.languages import LANGUAGES, language_table
from app.core.text.letter_forms import plain_words
from app.core.text.turn_language import LIKELY
from app.core.text.words import is_spaceless
from app.core.turn import AnsweredBy, Exchange
from app.kit.language_guesser import LanguageGuesser

_MAX_CHARS: Final = 120
_FILLER: Final = "filler"


class SmallTalk(StrEnum):
    """What a message is for. If several fit, the first here counts: "hi, who are you?" asks who we are."""

    IDENTITY = "identity"
    GOODBYE = "goodbye"
    THANKS = "thanks"
    GREETING = "greeting"
    ACKNOWLEDGEMENT = "acknowledgement"


# Emoji and signs, which are the same in any language.
_SIGNS: Final = {
    "👋": SmallTalk.GREETING,
    "🙏": SmallTalk.THANKS,
    "❤": SmallTalk.THANKS,
    "👍": SmallTalk.ACKNOWLEDGEMENT,
    "👌": SmallTalk.ACKNOWLEDGEMENT,
}


@dataclass(frozen=True, slots=True)
class Talk:
    """The meaning of a message in each language (BCP 47 primary subtag) that it may be in: "ciao" is a goodbye in
    German and also a greeting in Italian."""

    kinds: Mapping[str, SmallTalk]

    def language(self, *, pinned: str | None, spoken: str | None, locale: str) -> str:
        """The language of the reply: the agent's pin; else that of the words. If several languages have the words, that
        of the conversation so far (`spoken`), else of the visitor's `locale`, else English."""
        if pinned:
            return pinned
        return next((likely for likely in (spoken, locale, "en") if likely and likely in self.kinds), min(self.kinds))

    def reply(self, language: str, name: str) -> str:
        """The reply, in English if we have none in the language. `name` is the agent's."""
        kind = self.kinds.get(language) or _first(set(self.kinds.values()))
        reply: str = language_table(language if language in LANGUAGES else "en")["small_talk"][kind]["reply"]
        return reply.replace("{name}", name)


def small_talk(message: str, name: str = "") -> Talk | None:
    """The meaning of a message that asks nothing of the website, else None. It may address the agent by `name`."""
    if len(message) > _MAX_CHARS:
        return None
    plain = plain_words(message)
    if called := plain_words(name):
        plain = f" {plain} ".replace(f" {called} ", " ").strip()
    if not plain:
        signs = {_SIGNS[sign] for sign in message if sign in _SIGNS}
        return Talk(dict.fromkeys(LANGUAGES, _first(signs))) if signs else None
    if not _begins_a_phrase(plain):  # true of hardly any question
        return None
    kinds = {language: kind for language in LANGUAGES if (kind := _kind(plain, _phrases(language)))}
    kinds = kinds or _kinds_of_mixed(plain)
    return Talk(kinds) if kinds else None


def _first(kinds: set[SmallTalk]) -> SmallTalk:
    return next(kind for kind in SmallTalk if kind in kinds)


def _kinds_of_mixed(plain: str) -> dict[str, SmallTalk]:
    """The kind of a message in mixed languages, such as "ok danke", by the languages of the phrase that decides it."""
    parts = _parts(plain, _all_phrases()) or []
    kinds = {SmallTalk(kind) for part in parts for kind in _all_phrases()[part] if kind != _FILLER}
    if not kinds:
        return {}
    kind = _first(kinds)
    return {each: kind for each in LANGUAGES if any(_phrases(each).get(part) == kind for part in parts)}


def _kind(plain: str, phrases: Mapping[str, str]) -> SmallTalk | None:
    parts = _parts(plain, phrases)
    kinds = {SmallTalk(phrases[part]) for part in parts or () if phrases[part] != _FILLER}
    return _first(kinds) if kinds else None


def _begins_a_phrase(plain: str) -> bool:
    units, glue = _units(plain)
    return any(glue.join(units[:end]) in _all_phrases() for end in range(1, min(len(units), _longest()) + 1))


def _units(plain: str) -> tuple[list[str], str]:
    """The characters of a script without spaces, else the words; and what separates two of them."""
    return (list(plain.replace(" ", "")), "") if is_spaceless(plain[0]) else (plain.split(), " ")


def _parts(plain: str, phrases: Mapping[str, object]) -> list[str] | None:
    """The phrases that make up the words, longest first from the left; None if some words are no phrase."""
    units, glue = _units(plain)
    parts: list[str] = []
    start = 0
    while start < len(units):
        ends = range(min(len(units), start + _longest()), start, -1)
        part = next((one for end in ends if (one := glue.join(units[start:end])) in phrases), None)
        if part is None:
            return None
        parts.append(part)
        start += part.count(" ") + 1 if glue else len(part)
    return parts


@cache
def _phrases(language: str) -> dict[str, str]:
    """Each phrase with its kind; the first if it has two."""
    table = language_table(language)["small_talk"]
    kinds = [(_FILLER, table["fillers"]), *((kind, table[kind]["said"]) for kind in reversed(SmallTalk))]
    phrases = {plain_words(phrase): str(kind) for kind, of_kind in kinds for phrase in of_kind}
    return {phrase.replace(" ", "") if is_spaceless(phrase[0]) else phrase: kind for phrase, kind in phrases.items()}


@cache
def _all_phrases() -> dict[str, frozenset[str]]:
    phrases: dict[str, frozenset[str]] = {}
    for language in LANGUAGES:
        for phrase, kind in _phrases(language).items():
            phrases[phrase] = phrases.get(phrase, frozenset()) | {kind}
    return phrases


@cache
def _longest() -> int:
    """The most units in any phrase: characters in scripts without spaces, else words."""
    return max(len(phrase) if is_spaceless(phrase[0]) else phrase.count(" ") + 1 for phrase in _all_phrases())


def small_talk_answer(
    config: AgentConfig, message: str, languages: LanguageGuesser, *, history: Sequence[Exchange] = (), locale: str = ""
) -> ReadyAnswer | None:
    """The reply in the language of the visitor's words. "Ok" is a word in most, so the question before it and their
    `locale` (BCP 47 primary subtag) may decide. None for a question."""
    talk = small_talk(message, config.name)
    if talk is None:
        return None
    guess = languages.guess(history[-1].question) if history else None
    spoken = guess.language if guess and guess.probability >= LIKELY else None
    language = talk.language(pinned=config.language, spoken=spoken, locale=locale)
    return ReadyAnswer(talk.reply(language, config.name), AnsweredBy.SMALL_TALK, language=language)

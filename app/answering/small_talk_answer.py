"""A message that asks nothing gets a short reply: nothing is searched, and no model is asked."""

from collections.abc import Sequence

from app.answering.handoff import ReadyAnswer
from app.domain.agent import AgentConfig
from app.domain.small_talk import small_talk
from app.domain.turn import AnsweredBy, Exchange
from app.domain.turn_language import LIKELY
from app.ports.language_guesser import LanguageGuesser


def small_talk_answer(
    config: AgentConfig,
    message: str,
    languages: LanguageGuesser,
    *,
    history: Sequence[Exchange] = (),
    locale: str = "",
) -> ReadyAnswer | None:
    """In the language of the visitor's words; "ok" is said in most, so that the question before it and their `locale`
    (BCP 47 primary subtag) may decide. None for a question."""
    talk = small_talk(message, config.name)
    if talk is None:
        return None
    guess = languages.guess(history[-1].question) if history else None
    spoken = guess.language if guess and guess.probability >= LIKELY else None
    language = talk.language(pinned=config.language, spoken=spoken, locale=locale)
    return ReadyAnswer(talk.reply(language, config.name), AnsweredBy.SMALL_TALK, language=language)

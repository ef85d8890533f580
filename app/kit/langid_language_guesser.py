"""LanguageGuesser by py3langid, a naive Bayes classifier over byte sequences with its model in the package."""

from functools import cache, cached_property

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from app.core.encodable_text import encodable
from app.core.text.turn_language import LanguageGuess

_MAX_CHARS = 1000


class LangidLanguageGuesser:
    """The model is read on first use, once for the process."""

    @cached_property
    def languages(self) -> frozenset[str]:
        return frozenset(str(language) for language, _ in _identifier().rank("?"))

    def guess(self, text: str) -> LanguageGuess:
        language, probability = _identifier().classify(encodable(text[:_MAX_CHARS]))
        return LanguageGuess(str(language), float(probability))


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

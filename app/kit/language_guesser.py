"""Which language a few words are in, by py3langid: a naive Bayes classifier over byte sequences with its model in the
package."""

from functools import cache, cached_property

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from app.core.encodable_text import encodable
from app.core.text.turn_language import LanguageGuess

_MAX_CHARS = 1000


class LanguageGuesser:
    """Reads questions, which are short: a guess comes with how sure it is. The model is read on first use, once for the
    process."""

    @cached_property
    def languages(self) -> frozenset[str]:
        """Every language that it knows, as BCP 47 primary subtags."""
        return frozenset(str(language) for language, _ in _identifier().rank("?"))

    def guess(self, text: str) -> LanguageGuess:
        """The likeliest language. CPU work of well under a millisecond, once the model is loaded."""
        language, probability = _identifier().classify(encodable(text[:_MAX_CHARS]))
        return LanguageGuess(str(language), float(probability))


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

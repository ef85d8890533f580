"""Whether the embedder knows the language of a question."""

from app.core.text.turn_language import SURE
from app.kit.language_guesser import LanguageGuesser
from app.providers.embedding.embedder import Embedder


def is_read(embedder: Embedder, languages: LanguageGuesser, question: str, language: str | None) -> bool:
    """`language` is that of the question's turn (BCP 47 primary subtag): it counts where the question alone does not
    tell its own."""
    if embedder.knows is None:
        return True
    guess = languages.guess(question)
    return (guess.language if guess.probability >= SURE else language) in embedder.knows

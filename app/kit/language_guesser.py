"""Detects the language of a few words with py3langid: a naive Bayes classifier over byte sequences, whose model is in
the package."""

import io
import lzma
import shutil
import tempfile
from collections.abc import Collection
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import structlog
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

from app.core.text.encodable_text import encodable
from app.core.text.turn_language import LanguageGuess

_log = structlog.get_logger(__name__)

_MAX_CHARS = 1000


class LanguageGuesser:
    """For questions, which are short, so each guess has a probability. The model is read on first use, once per
    process."""

    @cached_property
    def languages(self) -> frozenset[str]:
        """All known languages, as BCP 47 primary subtags."""
        return frozenset(str(language) for language, _ in _identifier().rank("?"))

    def guess(self, text: str) -> LanguageGuess:
        """The most likely language. Takes well under a millisecond of CPU time once the model is loaded."""
        language, probability = _identifier().classify(encodable(text[:_MAX_CHARS]))
        return LanguageGuess(str(language), float(probability))

    def rank(self, text: str, languages: Collection[str]) -> list[LanguageGuess]:
        """Those of `languages` that are known, most likely first; their probabilities add up to 1. With few languages,
        a guess about a word or two is right more often."""
        ranked = _identifier().rank(encodable(text[:_MAX_CHARS]))
        among = [(str(language), float(p)) for language, p in ranked if str(language) in languages]
        total = sum(p for _, p in among) or 1.0
        return [LanguageGuess(language, p / total) for language, p in among]


@cache
def _identifier() -> LanguageIdentifier:
    """Its two large tables of 65 MiB are mapped from a file: questions touch few of their pages, and the system
    reclaims those when it needs memory. The package would unpack its model on the disk, which may be full."""
    unpacked = io.BytesIO()
    with lzma.open(MODEL_DIR / MODEL_FILE) as packed:
        shutil.copyfileobj(packed, unpacked, length=1 << 20)
    unpacked.seek(0)
    with np.load(unpacked, allow_pickle=False) as model:
        return LanguageIdentifier(
            _in_file(model["ptc"]),
            model["pc"],
            model["classes"].tolist(),
            _in_file(model["nextmove"]).data,  # its items are Python's integers
            model["out_feat"].tolist(),
            norm_probs=True,
            tk_row=model["nextmove_row"].tolist(),
        )


def _in_file(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same numbers, mapped from a file that disappears with the process; the table itself if the disk is
    full."""
    try:
        with tempfile.TemporaryFile() as file:
            table.tofile(file)
            file.flush()
            return np.memmap(file, dtype=table.dtype, mode="r", shape=table.shape)
    except OSError as error:
        _log.warning("languages.kept_in_memory", mib=table.nbytes >> 20, reason=str(error))
        return table

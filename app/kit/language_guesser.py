"""Detects the language of a few words with py3langid: a naive Bayes classifier over byte sequences, whose model is in
the package."""

import io
import lzma
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Collection
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import structlog
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

from app.core.text.letter_forms import encodable
from app.core.text.turn_language import LanguageGuess

_log = structlog.get_logger(__name__)

_MAX_CHARS = 1000
# Written in English words, which a short question can have alone: "How do I pay for fuel?"
_PART_OF = {"pcm": "en"}  # Nigerian Pidgin


class LanguageGuesser:
    """For questions, which are short, so each guess has a probability. The model is read on first use, once per
    process."""

    @cached_property
    def languages(self) -> frozenset[str]:
        """All known languages, as BCP 47 primary subtags."""
        return frozenset(each.language for each in _ranked("?"))

    def guess(self, text: str) -> LanguageGuess:
        """The most likely language. Takes well under a millisecond of CPU time once the model is loaded."""
        return _ranked(text)[0]

    def rank(self, text: str, languages: Collection[str]) -> list[LanguageGuess]:
        """Those of `languages` that are known, most likely first; their probabilities add up to 1. With few languages,
        a guess about a word or two is right more often."""
        among = [each for each in _ranked(text) if each.language in languages]
        total = sum(each.probability for each in among) or 1.0
        return [LanguageGuess(each.language, each.probability / total) for each in among]


def _ranked(text: str) -> list[LanguageGuess]:
    """All languages, most likely first."""
    found: defaultdict[str, float] = defaultdict(float)
    for language, probability in _identifier().rank(encodable(text[:_MAX_CHARS])):
        found[_PART_OF.get(str(language), str(language))] += float(probability)
    return [LanguageGuess(*each) for each in sorted(found.items(), key=lambda each: -each[1])]


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

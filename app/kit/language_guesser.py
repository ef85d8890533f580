"""Detects the language of a few words with py3langid: a naive Bayes classifier over byte sequences, whose model is in
the package."""

import io
import lzma
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Collection
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import structlog
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

from app.core.text.letter_forms import encodable
from app.core.text.turn_language import LanguageGuess

_log = structlog.get_logger(__name__)

_MAX_CHARS = 1000
_TABLES: Final = ("ptc", "pc", "classes", "nextmove", "nextmove_row", "out_feat")
# Nigerian Pidgin counts as English: a short English question may be valid in both ("How do I pay for fuel?").
_PART_OF = {"pcm": "en"}

_kept_in: Path | None = None


def keep_languages_in(folder: Path) -> None:
    """Let the first process that reads the model unpack it into `folder`: its 65 MiB take half a second of CPU time."""
    global _kept_in
    _kept_in = folder


class LanguageGuesser:
    """Guesses the language of questions; they are short, so each guess has a probability. The model is loaded on first
    use, once per process."""

    @cached_property
    def languages(self) -> frozenset[str]:
        """All known languages, as BCP 47 primary subtags."""
        return frozenset(each.language for each in _ranked("?"))

    def guess(self, text: str) -> LanguageGuess:
        """The most likely language. Takes well under a millisecond of CPU time once the model is loaded."""
        return _ranked(text)[0]

    def rank(self, text: str, languages: Collection[str]) -> list[LanguageGuess]:
        """The known ones of `languages`, most likely first, with probabilities that add up to 1. With few candidates, a
        guess about a word or two is right more often."""
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
    """The model. Its two large tables are mapped from files, which processes share: questions touch few of their pages,
    and the system reclaims those when it needs memory."""
    tables = _tables(_kept_in)
    return LanguageIdentifier(
        tables["ptc"],
        tables["pc"],
        tables["classes"].tolist(),
        tables["nextmove"].data,  # its items are Python's integers
        tables["out_feat"].tolist(),
        norm_probs=True,
        tk_row=tables["nextmove_row"].tolist(),
    )


def _tables(folder: Path | None) -> dict[str, npt.NDArray[Any]]:
    """The model's arrays by name, mapped from files in `folder`, which are written first if they are missing or
    damaged. Without `folder`, the files are temporary. If they cannot be written, the arrays stay in memory."""
    packed = MODEL_DIR / MODEL_FILE
    kept = folder / str(packed.stat().st_size) if folder else None  # another release has another model
    if kept:
        with suppress(OSError, ValueError, EOFError):
            return _read(kept)
    with lzma.open(packed) as file, np.load(io.BytesIO(file.read()), allow_pickle=False) as unpacked:
        tables = {name: unpacked[name] for name in _TABLES}
    try:
        with tempfile.TemporaryDirectory() as unfinished:
            for name, table in tables.items():
                with Path(unfinished, f"{name}.npy").open("wb") as made:
                    np.save(made, table)
                    if kept:
                        os.fsync(made.fileno())
            tables = _read(Path(unfinished))
            if kept:
                shutil.rmtree(kept.parent, ignore_errors=True)
                kept.parent.mkdir(exist_ok=True)
                with suppress(OSError):  # another process was faster
                    Path(unfinished).rename(kept)
    except OSError as error:
        _log.warning(
            "languages.kept_in_memory", mib=sum(table.nbytes for table in tables.values()) >> 20, reason=str(error)
        )
    return tables


def _read(folder: Path) -> dict[str, npt.NDArray[Any]]:
    """Map the arrays in `folder`. Raises OSError, and ValueError or EOFError for damaged files."""
    return {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in _TABLES}

"""Compares the text of a page that a browser reports with the page's stored text."""

from collections.abc import Iterable
from dataclasses import dataclass

from app.core.text.words import folded_words

_RUN = 3  # words
_KNOWN_SHARE = 0.8  # of a known line's runs; a line with an unknown number is always new


@dataclass(frozen=True, slots=True)
class Comparison:
    """`known_share` is the share of visible words, in [0, 1], that are in known lines; `new_text` has the other lines
    in order."""

    known_share: float
    new_text: str


def compared(visible: str, passages: Iterable[str]) -> Comparison:
    """Compare the `visible` text with stored passages line by line, by runs of three words. A shorter line is known if
    it occurs literally."""
    read = [folded_words(passage) for passage in passages]
    runs = {run for words in read for run in _runs(words)}
    whole = " ".join(f" {' '.join(words)} " for words in read)
    known_words, all_words = 0, 0
    new_lines: list[str] = []
    for line in visible.splitlines():
        words = folded_words(line)
        all_words += len(words)
        if _is_known(words, runs, whole):
            known_words += len(words)
        else:
            new_lines.append(line.strip())
    return Comparison(known_words / all_words if all_words else 0.0, "\n".join(new_lines))


def _is_known(words: list[str], runs: set[tuple[str, ...]], whole: str) -> bool:
    if f" {' '.join(words)} " in whole or not words:
        return True
    own = _runs(words)
    unknown = [run for run in own if run not in runs]
    has_new_number = any(character.isdigit() for run in unknown for word in run for character in word)
    return len(unknown) <= (1 - _KNOWN_SHARE) * len(own) and bool(own) and not has_new_number


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[start : start + _RUN]) for start in range(len(words) - _RUN + 1)]

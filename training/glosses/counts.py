"""How often a word or a phrase of a language stood for what in English, as `alignment` counts and `lists` reads it."""

import json
import lzma
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

Readings = Mapping[str, list["Reading"]]


class Reading(NamedTuple):
    """`as_entry`: how many of the times it stood in a pair as short as an entry of a dictionary."""

    english: str
    times: int
    as_entry: int


@dataclass(frozen=True, slots=True)
class Counts:
    """The commonest readings, most often first, of words and of phrases with one blank between their words; all in
    small letters."""

    words: Readings
    phrases: Readings

    def write(self, path: Path) -> None:
        with lzma.open(path, "wt", encoding="utf-8", preset=1) as out:
            json.dump({"words": self.words, "phrases": self.phrases}, out, ensure_ascii=False)


def read_counts(path: Path) -> Counts:
    with lzma.open(path, "rt", encoding="utf-8") as content:
        read = json.load(content)
    return Counts(_readings(read["words"]), _readings(read["phrases"]))


def _readings(rows: Mapping[str, list[tuple[str, int, int]]]) -> Readings:
    return {text: [Reading(*row) for row in found] for text, found in rows.items()}

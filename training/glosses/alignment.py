"""`python -m training.glosses.alignment`: counts what each word and phrase stands for in the pairs, by language.

eflomal (Östling and Tiedemann 2016) links the words of each pair in both directions. This module needs nothing else,
so that eflomal may have an environment of its own.
"""

import argparse
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from training.glosses.counts import Counts, Reading, Readings
from training.glosses.text_pairs import FOLDER, LANGUAGES, Pair, read_pairs

Link = tuple[int, int]  # the index of a word of the language, and of one of the English

_MOST_WORDS: Final = 60
_SAMPLERS: Final = 2  # of eflomal: more of them agree better and take longer
_PHRASE_WORDS: Final = (2, 3)  # PHRASE_WORDS of app.providers.embedding.glosses is the longest that is looked for
_ENGLISH_OF_A_WORD: Final = 3
_ENGLISH_OF_A_PHRASE: Final = 4
_ENTRY_WORDS: Final = 2
_READINGS_OF_A_WORD: Final = 12
_READINGS_OF_A_PHRASE: Final = 6
_RAREST_PHRASE: Final = 3
_NEIGHBOURS: Final = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))

_WORD: Final = re.compile(r"[^\W_]+")
_ELIDED: Final = re.compile(r"[^\W_]+'(?=[^\W\d_])|[^\W_]+")  # "l'" and "ordinateur" of "l'ordinateur"
_CONTRACTED: Final = re.compile(r"[^\W_]+'(?:t|re|ll|ve|s|d|m)\b|[^\W_]+")
_POSSESSIVE: Final = "'s"
_ELIDING: Final = frozenset({"fr", "it"})


def main(argv: Sequence[str] | None = None) -> None:
    arguments = _arguments(argv)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for language in arguments.languages.split(","):
        counts = aligned(read_pairs(arguments.pairs / f"{language}.tsv"), language)
        counts.write(arguments.out / f"{language}.json.xz")
        print(f"{language}: {len(counts.words)} words, {len(counts.phrases)} phrases", flush=True)


def aligned(pairs: Iterable[Pair], language: str) -> Counts:
    split = ((words_of(pair.other, language), words_of(pair.english, "en")) for pair in pairs)
    texts = [each for each in split if all(0 < len(words) <= _MOST_WORDS for words in each)]
    tally = Tally()
    for (other, english), links in zip(texts, _links(texts), strict=True):
        tally.add(other, english, links)
    return tally.counts()


def words_of(text: str, language: str) -> list[str]:
    """In small letters, and with a plain i for a Turkish capital with a dot, as app.providers.embedding.glosses looks
    them up; what follows an apostrophe, which is left out there, is a word of its own here."""
    small = text.lower().replace("’", "'").replace("i\u0307", "i")
    if language == "en":
        return [word.removesuffix(_POSSESSIVE) for word in _CONTRACTED.findall(small)]
    return (_ELIDED if language in _ELIDING else _WORD).findall(small)


def symmetrised(forward: Iterable[Link], backward: Iterable[Link]) -> set[Link]:
    """What both directions link, and step by step what one of them links beside that, while it links a word that had no
    link (grow-diag, Koehn et al. 2005)."""
    one, other = set(forward), set(backward)
    found, possible = one & other, one | other
    others, english = {link[0] for link in found}, {link[1] for link in found}
    reached = sorted(found)
    while reached:
        grown = []
        for row, column in reached:
            for down, right in _NEIGHBOURS:
                link = (row + down, column + right)
                if link in possible and link not in found and (link[0] not in others or link[1] not in english):
                    found.add(link)
                    others.add(link[0])
                    english.add(link[1])
                    grown.append(link)
        reached = grown
    return found


class Tally:
    """What the words and phrases of a language stood for."""

    def __init__(self) -> None:
        self._words: dict[str, Counter[str]] = defaultdict(Counter)
        self._entries: dict[str, Counter[str]] = defaultdict(Counter)
        self._phrases: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, other: Sequence[str], english: Sequence[str], links: set[Link]) -> None:
        """Count one pair of texts."""
        is_entry = len(other) <= _ENTRY_WORDS and len(english) <= _ENTRY_WORDS
        columns: dict[int, set[int]] = defaultdict(set)
        rows: dict[int, set[int]] = defaultdict(set)
        for row, column in links:
            columns[row].add(column)
            rows[column].add(row)
        for row, found in columns.items():
            if max(found) - min(found) < _ENGLISH_OF_A_WORD:
                text = " ".join(english[min(found) : max(found) + 1])
                self._words[other[row]][text] += 1
                self._entries[other[row]][text] += is_entry
        for phrase, text in _phrases(other, english, columns, rows):
            self._phrases[phrase][text] += 1

    def counts(self) -> Counts:
        common = {phrase: found for phrase, found in self._phrases.items() if found.total() >= _RAREST_PHRASE}
        return Counts(self._readings(self._words, _READINGS_OF_A_WORD), self._readings(common, _READINGS_OF_A_PHRASE))

    def _readings(self, counted: dict[str, Counter[str]], most: int) -> Readings:
        """Of those that stood as often, the one that stood more often as an entry comes first."""
        found: dict[str, list[Reading]] = {}
        for text, counts in counted.items():
            entries = self._entries.get(text, Counter[str]())
            readings = (Reading(english, times, entries[english]) for english, times in counts.items())
            found[text] = sorted(readings, key=lambda each: (-each.times, -each.as_entry, each.english))[:most]
        return found


def _phrases(
    other: Sequence[str], english: Sequence[str], columns: dict[int, set[int]], rows: dict[int, set[int]]
) -> Iterator[tuple[str, str]]:
    """Those whose English words stand for no word outside, and which begin and end with a linked word (Koehn et al.
    2003)."""
    for start in range(len(other)):
        for end in (start + count for count in _PHRASE_WORDS if start + count <= len(other)):
            if start not in columns or end - 1 not in columns:
                continue
            linked = [column for row in range(start, end) for column in columns.get(row, ())]
            first, last = min(linked), max(linked)
            inside = (start <= row < end for column in range(first, last + 1) for row in rows.get(column, ()))
            if last - first < _ENGLISH_OF_A_PHRASE and all(inside):
                yield " ".join(other[start:end]), " ".join(english[first : last + 1])


def _links(texts: Sequence[tuple[list[str], list[str]]]) -> Iterator[set[Link]]:
    from eflomal import Aligner

    with tempfile.TemporaryDirectory() as folder:
        forward, backward = Path(folder, "forward"), Path(folder, "backward")
        others, english = ([" ".join(pair[side]) for pair in texts] for side in (0, 1))
        aligner = Aligner(n_samplers=_SAMPLERS)
        aligner.align(others, english, links_filename_fwd=str(forward), links_filename_rev=str(backward))
        with forward.open() as lines, backward.open() as lines_back:
            for line, line_back in zip(lines, lines_back, strict=True):
                yield symmetrised(_read_links(line), _read_links(line_back))


def _read_links(line: str) -> Iterator[Link]:
    """ "0-0 1-2": both directions name the word of the language first."""
    for link in line.split():
        row, _, column = link.partition("-")
        yield int(row), int(column)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, default=FOLDER / "pairs")
    parser.add_argument("--out", type=Path, default=FOLDER / "counts")
    parser.add_argument("--languages", default=",".join(LANGUAGES), help="comma separated (all)")
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()

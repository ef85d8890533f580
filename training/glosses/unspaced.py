"""`python -m training.glosses.unspaced PAIRS.jsonl.gz`: writes the list of a language without spaces between its words,
for questions alone. Each line of PAIRS has `lang`, `text` and `en`, the same sentence in English.

No words are cut: up to four Chinese characters in a row, and every row of katakana, are taken for a word if an English
one goes with them often enough.
"""

import gzip
import itertools
import json
import lzma
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from app.providers.onnx_threads import EMBEDDER_FOLDER

_QUESTION_WORDS: Final = Path(__file__).with_name("question_words.json")
_LISTS: Final = EMBEDDER_FOLDER / "glosses" / "questions"
_ROW: Final = re.compile("[\u4e00-\u9fff\u3005]+|[\u30a1-\u30fa\u30fc]{2,}")
_KATAKANA: Final = re.compile("[\u30a1-\u30fa]")
_ENGLISH: Final = re.compile(r"[a-z]{2,}")
_LONGEST: Final = 4  # characters of a word in Chinese characters
_LONGEST_SENTENCE: Final = 160  # characters of English: in longer ones anything goes with anything
_MOST_WORDS: Final = 60
_LEAST_SEEN, _LEAST_ENGLISH, _LEAST_TOGETHER = 4, 3, 3
_LEAST_SHARE: Final = 0.22  # of the places of a word, in which the English word stands too
_LEAST_SHARE_OF_RARE: Final = 0.4
_RARE: Final = 6
# Characters that are in words of no other meaning, by language.
_PARTICLES: Final = {"zh": frozenset("的了是在和与與及或这這那把被将將也都就很们們你我他她它吗嗎呢吧之其")}
# They go with everything.
_LITTLE: Final = frozenset(
    """the and you your with this that are how what from can which when does not have will is of to in it for on be as
    at by or an if we he she they his her him my me us our was were been has had do did done its their there then than
    but so no up out about into all any more some such only other would could should may might must very also just like
    over after before these those them who whom whose where why here while each both few own same too being get got let
    one two""".split()  # noqa: SIM905 - reads better than a list
)


class Pair(NamedTuple):
    words: frozenset[str]
    english: frozenset[str]


def pairs(path: Path) -> Iterator[Pair]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if len(row["en"]) <= _LONGEST_SENTENCE:
                particles = _PARTICLES.get(row["lang"], frozenset())
                words = frozenset(word for word in words_in(row["text"]) if particles.isdisjoint(word))
                english = frozenset(_ENGLISH.findall(row["en"].lower())) - _LITTLE
                if english and 0 < len(words) <= _MOST_WORDS:
                    yield Pair(words, english)


def words_in(text: str) -> Iterator[str]:
    """Whatever may be a word."""
    for row in _ROW.findall(text):
        if _KATAKANA.match(row):
            yield row
        else:
            for start, length in itertools.product(range(len(row)), range(1, _LONGEST + 1)):
                if start + length <= len(row):
                    yield row[start : start + length]


def entries(found: list[Pair]) -> dict[str, str]:
    """The English word of each word that has one: the one that goes with it, and with few others, most often."""
    seen = Counter(word for pair in found for word in pair.words)
    english = Counter(word for pair in found for word in pair.english)
    together: Counter[tuple[str, str]] = Counter()
    for pair in found:
        known = [word for word in pair.english if english[word] >= _LEAST_ENGLISH]
        together.update(itertools.product((word for word in pair.words if seen[word] >= _LEAST_SEEN), known))
    best: dict[str, tuple[float, str]] = {}
    for (word, said), times in together.items():
        least = _LEAST_SHARE_OF_RARE if times < _RARE else _LEAST_SHARE
        if times >= _LEAST_TOGETHER and times >= least * seen[word]:
            score = 2 * times / (seen[word] + english[said]) * math.log(1 + times)
            best[word] = max(best.get(word, (0.0, "")), (score, said))
    chosen = {word: said for word, (_, said) in best.items()}
    return {word: said for word, said in chosen.items() if not _is_told_by_parts(word, said, chosen)}


def _is_told_by_parts(word: str, said: str, chosen: Mapping[str, str]) -> bool:
    """Whether a part of the word says the same, or both of its halves are words of their own."""
    parts = [word[start:end] for start in range(len(word)) for end in range(start + 2, len(word) + 1)]
    shortest = 3 if _KATAKANA.match(word) else 2
    halves = ((word[:at], word[at:]) for at in range(shortest, len(word) - shortest + 1))
    return any(chosen.get(part) == said for part in parts if part != word) or any(
        first in chosen and second in chosen for first, second in halves
    )


def main(path: Path) -> None:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        language = json.loads(next(lines))["lang"]
    by_hand: dict[str, str] = json.loads(_QUESTION_WORDS.read_text("utf-8"))[language]
    found = entries(list(pairs(path))) | by_hand
    _LISTS.mkdir(exist_ok=True)
    with lzma.open(_LISTS / f"{language}.txt.xz", "wt", encoding="utf-8", preset=9) as out:
        out.writelines(f"{word}\t{english}\n" for word, english in sorted(found.items()))
    print(f"{language}: {len(found)} entries")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

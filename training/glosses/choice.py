"""Which of what was counted becomes an entry of a language's list. All the rules stand here."""

import difflib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from app.providers.embedding.glosses import STEM
from training.glosses.counts import Counts, Reading, Readings

# What a reading counts more for being the whole of a short pair at least once, as entries of dictionaries are: in
# sentences a word is linked to its neighbours' English too.
_ENTRY_WORTH: Final = 2
# And for being spelled alike: "Thermodynamik" is more likely "thermodynamics" than what stood beside it as often.
_COGNATE_WORTH: Final = 2
_COGNATE_LETTERS: Final = 5
_COGNATE_LIKENESS: Final = 0.75
_LEAST_TIMES: Final = 2  # once may be a wrong link, unless the word was never linked to anything else
_LEAST_SHARE: Final = 0.12  # of a word's readings: below, none of them is what it means
_OFTEN: Final = 4  # and then it is the likeliest still where English has many words for one
_LEAST_SHARE_OF_A_COMMON_ONE: Final = 0.04
_RARE_TIMES: Final = 2  # and another as often: a toss-up, unless it stood as an entry or is spelled alike
_LEAST_SHARE_OF_A_LETTER: Final = 0.3  # a lone letter is more often a name than a word
_SHORTEST_STEM: Final = 3  # shorter ones are those of many words
_COMMON_WORD: Final = 3
_PHRASE_TIMES: Final = 6  # a list has more phrases than words already
_PHRASE_SHARE: Final = 0.4


class Choice(NamedTuple):
    """`weight` is how often it was counted, with what it is worth more."""

    english: str
    weight: int


def entries(counts: Counts, stem: Callable[[str], str], by_hand: Mapping[str, str] | None = None) -> dict[str, str]:
    """English by words, by stems that end in STEM, and by phrases. The words `by_hand` are read as given, but say
    nothing of others with their stem: "comment" is "how", "commenter" is not."""
    given = by_hand or {}
    words = {word: choice for word, choice in chosen_words(counts.words).items() if word not in given}
    stems = chosen_stems(words, stem)
    found = {**stems, **words_beside(words, stems, stem), **given}
    return found | chosen_phrases(counts.phrases, found, stem)


def chosen_words(readings: Readings) -> dict[str, Choice]:
    """The likeliest reading of each word that has a likely one; what is not all letters stays as it is in a text."""
    found = ((word, _chosen(word, of_word)) for word, of_word in readings.items() if word.rstrip("'").isalpha())
    return {word: choice for word, choice in found if choice}


def chosen_stems(words: Mapping[str, Choice], stem: Callable[[str], str]) -> dict[str, str]:
    """Of each stem what its forms say together, so that a form that was never read is known as well."""
    weights: dict[str, Counter[str]] = defaultdict(Counter)
    for word, (english, weight) in words.items():
        if len(short := stem(word)) >= _SHORTEST_STEM:
            weights[short][english] += weight
    chosen = {short: of_stem.most_common(1)[0][0] for short, of_stem in weights.items()}
    return {short + STEM: english for short, english in chosen.items() if english != short}


def words_beside(words: Mapping[str, Choice], stems: Mapping[str, str], stem: Callable[[str], str]) -> dict[str, str]:
    """Those that say something else than their stem does, or than they do as they are where no stem stands for them,
    and the common ones: compounds are made of them, and a text of a few words is read by whole words alone."""

    def is_needed(word: str, choice: Choice) -> bool:
        by_stem = stems.get(stem(word) + STEM)
        if choice.english == by_stem:
            return choice.weight >= _COMMON_WORD
        return by_stem is not None or choice.english != word

    return {word: choice.english for word, choice in words.items() if is_needed(word, choice)}


def chosen_phrases(phrases: Readings, found: Mapping[str, str], stem: Callable[[str], str]) -> dict[str, str]:
    """Those that say what their words do not, one by one: "en tant que" is "as". None with a number."""

    def read(word: str) -> str:
        return found.get(word) or found.get(stem(word) + STEM, word)

    likely = {phrase: reading.english for phrase, of_phrase in phrases.items() if (reading := _likely(of_phrase))}
    parted = {phrase: phrase.split() for phrase in likely}
    return {
        phrase: english
        for phrase, english in likely.items()
        if english != " ".join(map(read, parted[phrase])) and not any(map(str.isdigit, parted[phrase]))
    }


def _chosen(word: str, readings: list[Reading]) -> Choice | None:
    total = sum(each.times for each in readings)
    worth = {each: _worth(word, each) for each in readings}
    best = max(readings, key=lambda each: each.times + worth[each])
    weight = best.times + worth[best]
    if len(word) == 1 and weight < _LEAST_SHARE_OF_A_LETTER * total:
        return None
    is_tied = sum(each.times == best.times for each in readings) > 1
    if best.times <= _RARE_TIMES and is_tied and not worth[best]:
        return None
    share = _LEAST_SHARE_OF_A_COMMON_ONE if weight >= _OFTEN else _LEAST_SHARE
    is_likely = weight >= _LEAST_TIMES and weight >= share * total
    return Choice(best.english, weight) if is_likely or total == 1 else None


def _worth(word: str, reading: Reading) -> int:
    worth = _ENTRY_WORTH if reading.as_entry else 0
    return worth + (_COGNATE_WORTH if _is_cognate(word, reading.english) else 0)


def _is_cognate(word: str, english: str) -> bool:
    if min(len(word), len(english)) < _COGNATE_LETTERS:
        return False
    return difflib.SequenceMatcher(None, english, word).ratio() > _COGNATE_LIKENESS


def _likely(readings: list[Reading]) -> Reading | None:
    best = readings[0]
    is_likely = best.times >= _PHRASE_TIMES and best.times >= _PHRASE_SHARE * sum(each.times for each in readings)
    return best if is_likely else None

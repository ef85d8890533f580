"""Which readings become entries of a list."""

from tests.every_row import every_row
from training.glosses.choice import chosen_phrases, chosen_stems, chosen_words, entries
from training.glosses.counts import Counts, Reading


def stem(word: str) -> str:
    """Of a language whose forms end in -e and -en."""
    return word.removesuffix("n").removesuffix("e")


def readings(*rows: tuple[str, int] | tuple[str, int, int]) -> list[Reading]:
    return [Reading(row[0], row[1], row[2] if len(row) == 3 else 0) for row in rows]


@every_row(
    ("word", "found", "english"),
    [
        ("versand", readings(("shipping", 9), ("dispatch", 3)), "shipping"),
        ("ding", readings(*((f"reading {each}", 3) for each in range(12))), None),
        ("ding", readings(("thing", 5), *((f"reading {each}", 4) for each in range(11))), "thing"),
        ("ding", readings(("thing", 2), ("that", 2), ("it", 1)), None),
        ("ding", readings(("thing", 2), ("that", 1), ("it", 1)), "thing"),
        ("ding", readings(("thing", 2, 1), ("that", 2), ("it", 1)), "thing"),
        ("ding", readings(("that", 3), ("thing", 2, 1)), "thing"),
        ("ding", readings(("that", 9), ("thing", 2, 1)), "that"),
        ("thermodynamik", readings(("heat", 2), ("thermodynamics", 1), ("of", 2)), "thermodynamics"),
        ("ding", readings(("thing", 1)), "thing"),
        ("ding", readings(("thing", 1), ("that", 1)), None),
        ("x", readings(("by", 4), ("axis", 5), ("x", 5), ("the", 5)), None),
        ("y", readings(("and", 9), ("the", 1)), "and"),
        ("2d", readings(("flat", 9)), None),
        ("l'", readings(("the", 9)), "the"),
    ],
    ids=[
        "the commonest", "too small a share", "often, in a small share", "rare, as another",
        "rare, and no other as often", "rare and an entry", "an entry before a neighbour", "an entry against many",
        "spelled alike", "once and nothing else", "once and something else", "a letter", "a word of one letter",
        "not all letters", "an elided word",
    ],
)  # fmt: skip
def test_a_word_is_read_by_its_likeliest_reading(word: str, found: list[Reading], english: str | None) -> None:
    choice = chosen_words({word: found}).get(word)
    assert (choice.english if choice else None) == english


def test_a_stem_makes_its_rare_forms_superfluous_but_for_those_that_say_something_else() -> None:
    words = {
        "karte": readings(("card", 5)),
        "karten": readings(("card", 2)),
        "gerät": readings(("device", 2)),
        "geräte": readings(("device", 2)),
        "geräten": readings(("devices", 2)),
    }
    assert entries(Counts(words, {}), stem) == {
        "kart~": "card",
        "karte": "card",
        "gerät~": "device",
        "geräten": "devices",
    }


def test_a_stem_says_what_its_forms_say_together_and_is_not_too_short() -> None:
    words = chosen_words({"karte": readings(("map", 5)), "karten": readings(("card", 9)), "see": readings(("lake", 9))})
    assert chosen_stems(words, stem) == {"kart~": "card"}


def test_a_word_that_is_the_same_in_english_needs_no_entry_unless_its_stem_says_otherwise() -> None:
    words = {"hotel": readings(("hotel", 9)), "rat": readings(("rat", 3)), "raten": readings(("guess", 9))}
    assert entries(Counts(words, {}), stem) == {"rat": "rat", "rat~": "guess", "raten": "guess"}


def test_a_phrase_is_an_entry_where_it_says_what_its_words_do_not() -> None:
    found = {"kart~": "card", "gibt": "gives", "es": "it"}
    phrases = {
        "gibt es": readings(("is there", 6)),
        "karten es": readings(("card it", 9)),
        "es gibt": readings(("there is", 5)),
        "gibt karten": readings(("a", 6), ("b", 6), ("c", 6)),
        "gibt 2": readings(("two of", 9)),
    }
    assert chosen_phrases(phrases, found, stem) == {"gibt es": "is there"}


def test_words_by_hand_are_read_as_given_and_say_nothing_of_their_stem() -> None:
    words = {"comment": readings(("comment", 9)), "commente": readings(("comments on", 2))}
    found = entries(Counts(words, {}), stem, {"comment": "how"})
    assert found == {"comment": "how", "comment~": "comments on"}

"""How words are split, links of both directions brought together, and readings counted."""

from pathlib import Path

from tests.every_row import every_row
from training.glosses.alignment import Link, Tally, symmetrised, words_of
from training.glosses.counts import Counts, Reading, read_counts


@every_row(
    ("text", "language", "words"),
    [
        ("Don't open the user’s file", "en", ["don't", "open", "the", "user", "file"]),
        ("Qu’est-ce que l'ordinateur", "fr", ["qu'", "est", "ce", "que", "l'", "ordinateur"]),
        ("foto's", "nl", ["foto", "s"]),
        ("İstanbul'da", "tr", ["istanbul", "da"]),
        ("Straße_2", "de", ["straße", "2"]),
    ],
)
def test_words_are_split_as_the_language_writes_them(text: str, language: str, words: list[str]) -> None:
    assert words_of(text, language) == words


@every_row(
    ("forward", "backward", "links"),
    [
        ({(0, 0), (1, 1)}, {(0, 0), (1, 1)}, {(0, 0), (1, 1)}),
        ({(0, 0), (1, 1)}, {(0, 0), (2, 2)}, {(0, 0), (1, 1), (2, 2)}),
        ({(0, 0), (5, 7)}, {(0, 0)}, {(0, 0)}),
        ({(0, 0), (1, 1), (0, 1)}, {(0, 0), (1, 1)}, {(0, 0), (1, 1)}),
        ({(0, 0)}, {(1, 1)}, set()),
    ],
    ids=["both", "grown step by step", "not beside a link", "both words linked already", "nothing in both"],
)
def test_links_grow_from_those_of_both_directions(forward: set[Link], backward: set[Link], links: set[Link]) -> None:
    assert symmetrised(forward, backward) == links


def test_words_are_counted_with_how_often_they_were_an_entry() -> None:
    tally = Tally()
    tally.add(["versand"], ["shipping"], {(0, 0)})
    tally.add(["der", "versand", "ist", "teuer"], ["the", "dispatch", "is", "dear"], {(1, 1)})
    tally.add(["der", "versand", "ist", "da"], ["the", "shipping", "is", "there"], {(1, 1)})
    assert tally.counts().words["versand"] == [Reading("shipping", 2, 1), Reading("dispatch", 1, 0)]


def test_a_word_that_spreads_over_a_sentence_is_not_counted() -> None:
    tally = Tally()
    tally.add(["anrufen"], ["call", "the", "office", "up"], {(0, 0), (0, 3)})
    assert tally.counts().words == {}


def test_phrases_are_counted_where_their_words_stand_for_one_another_alone() -> None:
    tally = Tally()
    for _ in range(3):
        tally.add(["gibt", "es", "wasser"], ["is", "there", "water"], {(0, 0), (0, 1), (1, 1), (2, 2)})
    assert tally.counts().phrases == {
        "gibt es": [Reading("is there", 3, 0)],
        "gibt es wasser": [Reading("is there water", 3, 0)],
    }


def test_rare_phrases_are_not_kept() -> None:
    tally = Tally()
    tally.add(["guten", "tag"], ["good", "day"], {(0, 0), (1, 1)})
    assert tally.counts().phrases == {}


def test_counts_are_read_as_they_were_written(tmp_path: Path) -> None:
    counts = Counts({"versand": [Reading("shipping", 2, 1)]}, {"gibt es": [Reading("is there", 3, 0)]})
    path = tmp_path / "de.json.xz"
    counts.write(path)
    assert read_counts(path) == counts

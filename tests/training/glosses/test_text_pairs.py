"""What of two texts is read, and what makes no pair."""

from tests.every_row import every_row
from training.glosses.text_pairs import Pair, cleaned, language_of, sentence_pairs


@every_row(
    ("name", "language"),
    [("de", "de"), ("pt_BR", "pt"), ("pt-br", "pt"), ("el_GR", "el"), ("de_CH", None), ("ja", None), ("demo", None)],
)
def test_a_name_stands_for_a_language_that_is_read(name: str, language: str | None) -> None:
    assert language_of(name) == language


@every_row(
    ("english", "other", "read"),
    [
        ("%(count)d files in {folder}", "%(count)d Dateien in {folder}", ("files in", "Dateien in")),
        (
            "Hello ${user}, you owe %1$s",
            "Hallo ${user}, Sie schulden %1$s",
            ("Hello , you owe", "Hallo , Sie schulden"),
        ),
        (
            "&lt;b&gt;Open&lt;/b&gt; the <a href='#'>door</a>",
            "<b>Öffne</b> die Tür",
            ("Open the door", "Öffne die Tür"),
        ),
        ("_Save &amp; go", "_Speichern &amp; los", ("Save & go", "Speichern & los")),
        ("&Quit now", "Jetzt &beenden", ("Quit now", "Jetzt beenden")),
        ("two\\nlines", "zwei\\nZeilen", ("two lines", "zwei Zeilen")),
    ],
)
def test_markup_and_placeholders_are_not_read(english: str, other: str, read: tuple[str, str]) -> None:
    assert cleaned(Pair(english, other), has_accelerators=True) == read


def test_an_underscore_is_read_where_no_keys_are_marked() -> None:
    assert cleaned(Pair("the file_name", "der datei_name"), has_accelerators=False) == (
        "the file_name",
        "der datei_name",
    )


@every_row(
    ("english", "other"),
    [
        ("Cancel", "cancel"),
        ("%s", "%s"),
        ("cart_add_button", "In den Warenkorb"),
        ("PDF", "Dokument"),
        ("Yes", "Ja, denn das ist wirklich in allen Fällen so"),
        ("word " * 71, "Wort " * 71),
        ("{count, plural, one {# day} other {# days}}", "{count, plural, one {# Tag} other {# Tage}}"),
    ],
    ids=["the same", "nothing left", "a key", "an abbreviation", "more than it says", "too long", "message format"],
)
def test_what_no_words_can_be_learned_from_is_no_pair(english: str, other: str) -> None:
    assert cleaned(Pair(english, other), has_accelerators=False) is None


def test_texts_of_as_many_sentences_are_paired_by_them() -> None:
    assert list(sentence_pairs(Pair("Wait. It loads.", "Warte. Es lädt."))) == [
        ("Wait.", "Warte."),
        ("It loads.", "Es lädt."),
    ]
    assert list(sentence_pairs(Pair("Wait. It loads.", "Warte, es lädt."))) == [("Wait. It loads.", "Warte, es lädt.")]

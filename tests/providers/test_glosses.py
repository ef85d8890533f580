"""Word for word in English: what a model that reads English alone is given of other texts."""

import lzma
from pathlib import Path

import pytest

from app.providers.embedding.glosses import Glosses, GlossList
from app.providers.onnx_threads import EMBEDDER_FOLDER
from tests.every_row import every_row

LISTS = {
    "de": {
        "wie": "how", "viel": "much", "wie viel": "how many", "kostet": "costs", "der": "the", "versand": "shipping",
        "kosten": "costs", "liefer~": "delivery", "zeit": "time", "nach": "after", "und": "and",
    },
    "fr": {"l'": "the", "hôtel": "hotel", "quels sont": "which are", "les": "the", "horaires": "hours", "d'": "of",
           "ouverture": "opening", "aujourd'": "today", "aujourd' hui": "today"},
    "tr": {"iade": "return", "nasıl": "how", "yapılır": "is done"},
    "nl": {"foto": "photo", "bekijken": "view", "en": "and", "van": "of", "het": "the"},
    "es": {"cancelar": "cancel", "reserva": "reservation"},
    "pt": {"cancelar": "cancel"},
    "ru": {"сколько": "how much", "стоит": "costs", "доставка": "delivery"},
}  # fmt: skip
ENGLISH = frozenset({"refund", "price", "hotel", "the", "how", "do", "i", "cancel"})


@pytest.fixture
def glosses(tmp_path: Path) -> Glosses:
    for language, entries in LISTS.items():
        with lzma.open(tmp_path / f"{language}.txt.xz", "wt", encoding="utf-8") as file:
            file.writelines(f"{word}\t{english}\n" for word, english in sorted(entries.items()))
    return Glosses(tmp_path, ENGLISH.__contains__)


def test_each_language_with_a_list_is_read(glosses: Glosses) -> None:
    assert glosses.languages == {"de", "fr", "nl", "tr", "es", "pt", "ru"}


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Wie kostet der Versand?", "how costs the shipping?"),
        ("Сколько стоит доставка?", "how much costs delivery?"),
        ("İade nasıl yapılır?", "return how is done?"),
    ],
)
def test_each_word_is_said_in_english_where_it_stands(glosses: Glosses, text: str, english: str) -> None:
    assert glosses.english(text) == english


def test_a_phrase_goes_before_its_words(glosses: Glosses) -> None:
    assert glosses.english("Wie viel kostet der Versand?") == "how many costs the shipping?"


def test_words_with_something_between_them_are_no_phrase(glosses: Glosses) -> None:
    assert glosses.english("Wie, viel kostet der Versand?").startswith("how, much")


def test_an_apostrophe_ends_a_word(glosses: Glosses) -> None:
    assert glosses.english("Quels sont les horaires d’ouverture de l'hôtel ?") == (
        "which are the hours of opening de the hotel ?"
    )


def test_elsewhere_what_follows_an_apostrophe_is_an_ending(glosses: Glosses) -> None:
    assert glosses.english("Foto's van het hotel bekijken en delen") == "photo of the hotel view and delen"


def test_a_phrase_may_be_one_word_to_its_readers(glosses: Glosses) -> None:
    assert glosses.english("Quels sont les horaires aujourd'hui ?") == "which are the hours today ?"


def test_a_compound_is_said_by_its_parts(glosses: Glosses) -> None:
    assert glosses.english("Versandkosten und Versandzeit") == "shipping costs and shipping time"


def test_another_form_of_a_word_is_found_by_its_stem(glosses: Glosses) -> None:
    assert glosses.english("die Lieferungen und der Versand").startswith("die delivery and the")


def test_names_numbers_and_lines_stay_as_they_are(glosses: Glosses) -> None:
    text = "Versand nach Graz:\n\n| A4 | 12,50 € |\nund der X-200b"

    assert glosses.english(text) == "shipping after Graz:\n\n| A4 | 12,50 € |\nand the X-200b"


@pytest.mark.parametrize(
    "text",
    [
        "How do I cancel the order of my hotel?",
        "refund price?",
        "hotel",
        "",
        "...",
        "42",
        "払い戻しはどのくらいかかりますか？",
    ],
)
def test_english_and_what_has_no_list_are_left_alone(glosses: Glosses, text: str) -> None:
    assert glosses.english(text) == text


def test_words_of_two_near_languages_are_said_by_either_list(glosses: Glosses) -> None:
    assert glosses.english("cancelar reserva") == "cancel reservation"


@every_row("path", sorted((EMBEDDER_FOLDER / "glosses").glob("*.txt.xz")), ids=lambda path: path.name[:2])
def test_each_shipped_list_is_sorted_so_that_all_of_it_is_found(path: Path) -> None:
    with lzma.open(path) as file:
        lines = file.read().decode().splitlines()
    glosses = GlossList(path, path.name[:2])
    assert lines == sorted(lines)
    for line in lines[::97]:
        word, _, english = line.partition("\t")
        assert glosses.gloss(word) == english
        assert glosses.gloss(f"{word}\ud800") is None


JAPANESE = {
    "返品": "return",
    "送料": "shipping cost",
    "いくら": "how much",
    "電話": "phone",
    "電話番号": "phone number",
}


@pytest.fixture
def with_questions(tmp_path: Path, glosses: Glosses) -> Glosses:
    (tmp_path / "questions").mkdir()
    with lzma.open(tmp_path / "questions" / "ja.txt.xz", "wt", encoding="utf-8") as file:
        file.writelines(f"{word}\t{english}\n" for word, english in sorted(JAPANESE.items()))
    return Glosses(tmp_path, ENGLISH.__contains__)


@pytest.mark.parametrize(
    ("question", "english"),
    [
        ("返品の送料はいくらですか？", "return shipping cost how much ?"),
        ("ＡＢＣ-12の電話番号は", "ABC-12 phone number"),
        ("E42とは。Plusの送料", "E42 . Plus shipping cost"),
    ],
    ids=["endings are left out", "the longest word counts, names stay", "sentences stay apart"],
)
def test_a_question_without_spaces_is_read_by_its_longest_words(
    with_questions: Glosses, question: str, english: str
) -> None:
    assert with_questions.clear_language(question) == "ja"
    assert with_questions.english_question(question, "ja") == english


def test_a_follow_up_stays_on_a_line_of_its_own(with_questions: Glosses) -> None:
    assert with_questions.english_question("返品の期限は\n送料は", "ja") == "return\nshipping cost"


def test_pages_are_not_read_by_a_list_for_questions(with_questions: Glosses) -> None:
    assert "ja" not in with_questions.languages
    assert with_questions.english("返品の送料はいくらですか？") == "返品の送料はいくらですか？"


@pytest.mark.parametrize("question", ["Wie kostet der Versand? 送料", "E42", "ราคาเท่าไหร่", "Cancelar la reserva"])
def test_other_questions_are_not_taken_for_japanese(with_questions: Glosses, question: str) -> None:
    assert with_questions.clear_language(question) != "ja"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Plusプランは月額いくらですか", {"Plus", "plan", "monthly", "how much"}),
        ("你们的电话号码是多少", {"phone"}),
        ("学校有折扣吗", {"school", "discounts"}),
    ],
)
def test_the_shipped_lists_read_questions_in_japanese_and_chinese(question: str, words: set[str]) -> None:
    shipped = Glosses(EMBEDDER_FOLDER / "glosses", ENGLISH.__contains__)
    language = shipped.clear_language(question)
    assert language is not None
    english = shipped.english_question(question, language)
    assert all(word in english for word in words)

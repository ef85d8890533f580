"""Questions of visitors, which are short, in the languages that we speak ourselves."""

import lzma
import os
import resource
from pathlib import Path

import numpy as np
import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from app.core.text.languages import LANGUAGES
from app.core.text.turn_language import LIKELY, SURE
from app.kit import language_guesser
from app.kit.language_guesser import LanguageGuesser

QUESTIONS = {
    "en": "How long do I have to send a lamp back to you?",
    "de": "Wie lange kann ich eine Lampe zurückgeben?",
    "es": "¿Cuánto tiempo tengo para devolver una lámpara?",
    "fr": "Combien de temps ai-je pour renvoyer une lampe ?",
    "ro": "Cât timp am la dispoziție pentru a returna o lampă?",
    "ru": "Сколько времени у меня есть, чтобы вернуть лампу?",
    "el": "Πόσο χρόνο έχω για να επιστρέψω μια λάμπα;",
    "tr": "Bir lambayı iade etmek için ne kadar sürem var?",
    "ar": "كم من الوقت لدي لإعادة المصباح؟",
    "zh": "我有多长时间可以退回一盏灯？",
    "vi": "Tôi có bao nhiêu thời gian để trả lại đèn?",
    "th": "ฉันมีเวลานานเท่าใดในการคืนโคมไฟ",
    "hi": "लैंप वापस करने के लिए मेरे पास कितना समय है?",
    "it": "Quanto tempo ho per restituire una lampada?",
    "ja": "ランプを返品できる期間はどのくらいですか？",
    "nl": "Hoe lang heb ik om een lamp terug te sturen?",
    "pl": "Ile mam czasu na zwrot lampy?",
    "pt": "Quanto tempo tenho para devolver um candeeiro?",
    "he": "כמה זמן יש לי להחזיר מנורה?",
    "fa": "چقدر وقت دارم که چراغ را پس بدهم؟",
    "ur": "لیمپ واپس کرنے کے لیے میرے پاس کتنا وقت ہے؟",
}


@pytest.fixture(scope="module")
def guesser() -> LanguageGuesser:
    return LanguageGuesser()


@pytest.mark.parametrize("language", sorted(QUESTIONS))
def test_a_question_tells_its_language(guesser: LanguageGuesser, language: str) -> None:
    guess = guesser.guess(QUESTIONS[language])
    assert guess.language == language
    assert guess.probability >= LIKELY


@pytest.mark.parametrize("text", ["", "?", "Lumo 2", "Prices?", "API rate limit", "\ud800"])
def test_what_tells_no_language_is_guessed_without_certainty(guesser: LanguageGuesser, text: str) -> None:
    assert guesser.guess(text).probability < SURE


@pytest.mark.parametrize(
    "text", ["how do i send mails from my app", "How do I pay for fuel?", "goverment shutdown: do i get late fees"]
)
def test_a_short_english_question_is_not_taken_for_a_pidgin(guesser: LanguageGuesser, text: str) -> None:
    guess = guesser.guess(text)
    assert guess.language == "en"
    assert guess.probability >= SURE


def test_every_language_that_we_speak_is_known(guesser: LanguageGuesser) -> None:
    assert guesser.languages >= LANGUAGES


def test_it_guesses_as_the_package_does_with_its_tables_in_memory(guesser: LanguageGuesser) -> None:
    packaged = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    for text in (*QUESTIONS.values(), "", "API rate limit"):
        guess, (language, probability) = guesser.guess(text), packaged.classify(text)
        assert guess.language == language
        assert guess.probability == pytest.approx(probability, abs=0.1)  # English includes a pidgin


def test_the_next_process_finds_the_tables_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = language_guesser._tables(tmp_path / "languages")
    monkeypatch.setattr(lzma, "open", None)
    second = language_guesser._tables(tmp_path / "languages")
    assert all(np.array_equal(table, second[name]) for name, table in first.items())
    assert all(isinstance(table, np.memmap) for table in second.values())


def test_tables_that_are_not_whole_or_of_another_release_are_unpacked_again(tmp_path: Path) -> None:
    (tmp_path / "languages" / "of-another-release").mkdir(parents=True)
    for size in (0, 1000):
        language_guesser._tables(tmp_path / "languages")
        [broken] = tmp_path.glob("languages/*/nextmove.npy")
        os.truncate(broken, size)
    language_guesser._tables(tmp_path / "languages")
    assert broken.stat().st_size > 1000
    assert list((tmp_path / "languages").iterdir()) == [broken.parent]


def test_a_full_disk_keeps_the_tables_in_memory(guesser: LanguageGuesser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_guesser, "_kept_in", None)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024**2, hard))
    try:
        in_memory = language_guesser._identifier.__wrapped__()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    mapped = {question: guesser.guess(question) for question in QUESTIONS.values()}
    monkeypatch.setattr(language_guesser, "_identifier", lambda: in_memory)
    assert {question: guesser.guess(question) for question in QUESTIONS.values()} == mapped

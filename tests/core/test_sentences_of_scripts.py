"""Sentences of every script are told apart, by the marks and habits of each."""

import pytest

from app.core.text.languages import LANGUAGES
from app.core.text.sentences import asks, sentences
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

# Texts as the list of their sentences.
TEXTS = {
    "en": (
        "Returns are free, e.g. within 30 days.",
        "Is it open?",
        "Mr. J. Smith at example.com ships v2.0 now!",
        '"Yes."',
    ),
    "de": (
        "Rückgabe z. B. am 3. Oktober ist frei.",
        "Öffnen Sie die App, bzw. das Portal.",
        "Über uns lesen Sie mehr?",
    ),
    "es": ("El envío es gratis, p. ej. en España.", "¿Cuánto cuesta?", "¡Ábralo hoy!"),
    "fr": ("M. Dupont répond, etc. dans la journée.", "Où est-il ?", "Écrivez-nous !"),
    "it": ("Il reso è gratuito, ecc. per 30 giorni.", "È aperto?", "Sì."),
    "pt": ("A devolução é grátis, p. ex. em casa.", "Está aberto?", "É fácil."),
    "nl": ("Retourneren is gratis, bijv. binnen 30 dagen.", "Is het open?", "Éénmalig."),
    "pl": ("Zwrot jest darmowy, np. przez 30 dni.", "Czy działa?", "Świetnie."),
    "ro": ("Returul este gratuit, str. Lungă nr. 5.", "Este deschis?", "Țineți minte."),
    "ru": ("Возврат бесплатный, т. е. без доплаты.", "Сколько стоит?", "Позвоните нам!"),
    "el": ("Η επιστροφή είναι δωρεάν, π.χ. σε 30 ημέρες.", "Πόσο κοστίζει;", "Γράψτε μας."),
    "tr": ("İade ücretsizdir, örn. 30 gün.", "Şimdi açık mı?", "Çok kolay."),
    "ar": ("الإرجاع مجاني.", "كم السعر؟", "اكتب لنا!"),
    "he": ("ההחזרה חינם.", "כמה זה עולה?", "כתבו לנו."),
    "fa": ("بازگشت رایگان است.", "قیمت چقدر است؟", "به ما بنویسید."),
    "ur": ("واپسی مفت ہے۔", "قیمت کیا ہے؟", "ہمیں لکھیں۔"),
    "hi": ("वापसी निःशुल्क है।", "कीमत क्या है?", "हमें लिखें।"),
    "th": ("คุณสามารถคืนสินค้าได้ภายในสามสิบวันหลังจากได้รับ", "การจัดส่งใช้เวลาประมาณห้าวันทำการทั่วประเทศไทย"),
    "vi": ("Trả hàng miễn phí tại TP. Huế.", "Giá bao nhiêu?", "Đọc thêm."),
    "zh": ("退货免费。", "多少钱？", "请联系我们！"),
    "ja": ("返品は無料です。", "いくらですか？", "「はい。」", "ご連絡ください！"),
    "hy": ("Վերադարձը անվճար է։", "Գրեք մեզ։"),
    "am": ("መመለስ ነጻ ነው።", "ይጻፉልን።"),
    "my": ("ပြန်ပေးတာအခမဲ့ပါ။", "ရေးပါ။"),
    "km": ("ការប្រគល់ត្រឡប់គឺឥតគិតថ្លៃ។", "សូមសរសេរ។"),
    "ka": ("დაბრუნება უფასოა.", "მოგვწერეთ."),
    "ko": ("반품은 무료입니다.", "얼마인가요?", "연락 주세요."),
}


def test_every_language_of_ours_is_tried() -> None:
    assert set(TEXTS) >= LANGUAGES


@every_row("language", sorted(TEXTS))
def test_a_text_is_cut_at_its_sentences(language: str) -> None:
    assert tuple(sentences(" ".join(TEXTS[language]))) == TEXTS[language]


@every_row("language", ["zh", "ja", "ur", "hi", "ar"])
def test_marks_that_need_no_blank_end_a_sentence_without_one(language: str) -> None:
    marked = [text for text in TEXTS[language] if text[-1] not in ".?!"]
    assert sentences("".join(marked)) == marked


@every_row(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("one line\nand its rest", ["one line and its rest"], id="a line break"),
        pytest.param("Part one\n\nPart two", ["Part one", "Part two"], id="a blank line"),
        pytest.param("Really?! Yes... No.", ["Really?!", "Yes...", "No."], id="several marks"),
        pytest.param('"Is it?" he asked. Yes.', ['"Is it?" he asked.', "Yes."], id="goes on in lower case"),
        pytest.param("See (page 3.) Then go.", ["See (page 3.)", "Then go."], id="a bracket closes"),
        pytest.param(
            "Use https://a.example/?q=1 now. 5 days.", ["Use https://a.example/?q=1 now.", "5 days."], id="a URL"
        ),
        pytest.param("It costs 3.50 euros. Cheap!", ["It costs 3.50 euros.", "Cheap!"], id="a number"),
        pytest.param("since 2024. New lamps.", ["since 2024.", "New lamps."], id="a year"),
    ],
)
def test_a_sentence_ends_where_it_does(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize("unit", [".", "?", "a.", "。", "\n", " ", "e.g. ", "A. ", "ก ", "\"'"])
def test_what_was_made_to_take_long_does_not(unit: str) -> None:
    assert takes_linear_time(sentences, unit, 5000)


@every_row("text", ["Is it open?", "كم السعر؟", "多少钱？", "Πόσο κοστίζει;", "Really?!", "(Is it?) Yes."])
def test_a_question_is_told_by_the_marks_of_its_script(text: str) -> None:
    assert asks(text)


@every_row("text", ["", "It is open; come.", "See https://a.example/?q=1", "Open."])
def test_other_marks_ask_nothing(text: str) -> None:
    assert not asks(text)

"""Talk that is no question is told from questions, in every language that we speak."""

import pytest

from app.answers.small_talk import SmallTalk, small_talk
from app.core.text.languages import LANGUAGES
from tests.every_row import every_row

# A greeting, thanks, a goodbye, "who are you?" and "ok", as people type them.
SAID = {
    "en": ("Hi there!", "thank you so much for your help", "Bye!", "Who are you?", "ok"),
    "de": ("Guten Tag!", "Vielen Dank", "Auf Wiedersehen", "wer bist du", "alles klar"),
    "es": ("¡Hola, buenas tardes!", "muchas gracias", "hasta luego", "¿Quién eres?", "vale"),
    "fr": ("Bonjour", "Merci beaucoup !", "Au revoir", "Qui êtes-vous ?", "d’accord"),
    "it": ("Buongiorno", "grazie mille", "Arrivederci", "chi sei?", "va bene"),
    "pt": ("Olá, tudo bem?", "muito obrigada", "tchau", "quem é você?", "entendi"),
    "nl": ("Goedemorgen", "dank u wel", "tot ziens", "wie ben jij?", "begrepen"),
    "pl": ("Dzień dobry", "dziękuję bardzo", "do widzenia", "kim jesteś?", "rozumiem"),
    "ro": ("Buna ziua", "mulțumesc mult", "la revedere", "cine ești?", "am înțeles"),
    "ru": ("Здравствуйте!", "большое спасибо", "до свидания", "кто ты?", "понятно"),
    "el": ("Καλημέρα σας", "ευχαριστώ πολύ", "αντίο", "Ποιος είσαι;", "εντάξει"),
    "tr": ("Merhaba", "teşekkür ederim", "görüşürüz", "sen kimsin?", "tamam"),
    "ar": ("السلام عليكم", "شكرا جزيلا", "مع السلامة", "من أنت؟", "حسنا"),
    "he": ("שלום", "תודה רבה", "להתראות", "מי אתה?", "בסדר"),
    "fa": ("سلام", "خیلی ممنون", "خداحافظ", "تو کی هستی؟", "باشه"),
    "ur": ("آداب", "بہت شکریہ", "اللہ حافظ", "آپ کون ہیں؟", "ٹھیک ہے"),
    "hi": ("नमस्ते", "बहुत धन्यवाद", "अलविदा", "आप कौन हैं?", "ठीक है"),
    "th": ("สวัสดีค่ะ", "ขอบคุณมากครับ", "ลาก่อน", "คุณคือใคร", "เข้าใจแล้วครับ"),
    "vi": ("Xin chào", "cảm ơn bạn nhiều", "tạm biệt", "Bạn là ai?", "hiểu rồi"),
    "zh": ("你好！", "非常感谢您的帮助", "再见", "你是谁？", "好的"),
    "ja": ("こんにちは。", "ありがとうございます", "さようなら", "あなたは誰ですか？", "わかりました"),
}
KINDS = (SmallTalk.GREETING, SmallTalk.THANKS, SmallTalk.GOODBYE, SmallTalk.IDENTITY, SmallTalk.ACKNOWLEDGEMENT)

QUESTIONS = (
    "Hi, how do I cancel my plan?",
    "hello, where is my order",
    "Thanks! And for teams?",
    "ok but what does it cost",
    "Who are your investors?",
    "Thank you page redirect",
    "good lamps",
    "What can you do with the API?",
    "yes",
    "no",
    "Hallo, was kostet der Versand?",
    "Merci de me dire où est ma commande",
    "Buenos días, ¿tienen lámparas?",
    "你好，怎么退货？",
    "こんにちは、返品したいです",
    "สวัสดีครับ ราคาเท่าไร",
    "नमस्ते, वापसी कैसे करें?",
    "مرحبا، كم السعر؟",
    "",
    "?",
    "🤖",
    "hi " * 60,
)


def test_every_language_is_tried() -> None:
    assert set(SAID) == LANGUAGES


@every_row("language", sorted(SAID))
def test_talk_is_heard_in_its_language(language: str) -> None:
    for message, kind in zip(SAID[language], KINDS, strict=True):
        talk = small_talk(message)
        assert talk is not None, message
        assert talk.kinds[language] is kind, message


@every_row("language", sorted(SAID))
def test_each_kind_has_a_reply_of_its_own(language: str) -> None:
    talks = [talk for message in SAID[language] if (talk := small_talk(message))]
    replies = [talk.reply(language, "Lumo") for talk in talks]
    assert len(set(replies)) == len(KINDS)
    assert ["Lumo" in reply for reply in replies] == [kind is SmallTalk.IDENTITY for kind in KINDS]


@every_row("message", QUESTIONS)
def test_what_asks_something_is_a_question(message: str) -> None:
    assert small_talk(message) is None


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Hi, who are you?", SmallTalk.IDENTITY),
        ("great, thanks, bye!", SmallTalk.GOODBYE),
        ("👍", SmallTalk.ACKNOWLEDGEMENT),
    ],
)
def test_of_several_the_weightier_counts(message: str, kind: SmallTalk) -> None:
    talk = small_talk(message)
    assert talk is not None
    assert talk.kinds["en"] is kind


def test_the_agent_may_be_called_by_its_name() -> None:
    assert small_talk("Hello Lamp Helper!", "Lamp helper") is not None
    assert small_talk("Hello Lamp Helper!") is None


@every_row(
    ("message", "pinned", "spoken", "locale", "language"),
    [
        pytest.param("danke", None, "en", "en", "de", id="the words tell"),
        pytest.param("ok danke", None, None, "en", "de", id="the phrase that decides tells"),
        pytest.param("ok", None, "fr", "en", "fr", id="the conversation tells"),
        pytest.param("ok", None, None, "pl", "pl", id="the locale tells"),
        pytest.param("ok", None, None, "xx", "en", id="nothing tells"),
        pytest.param("danke", "fr", "de", "de", "fr", id="the agent has one language"),
    ],
)
def test_the_reply_is_in_the_visitors_language(
    message: str, pinned: str | None, spoken: str | None, locale: str, language: str
) -> None:
    talk = small_talk(message)
    assert talk is not None
    assert talk.language(pinned=pinned, spoken=spoken, locale=locale) == language


def test_a_word_may_mean_another_thing_in_another_language() -> None:
    talk = small_talk("ciao")
    assert talk is not None
    assert (talk.kinds["it"], talk.kinds["de"]) == (SmallTalk.GREETING, SmallTalk.GOODBYE)


def test_a_language_that_we_do_not_speak_gets_english() -> None:
    talk = small_talk("hello")
    assert talk is not None
    assert talk.reply("sv", "Lumo") == talk.reply("en", "Lumo")

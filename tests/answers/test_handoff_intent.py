"""A wish to talk to a person is told from a question about people."""

import pytest

from app.answers.handoff import asks_for_person
from app.core.text.languages import LANGUAGES
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

WISHES = {
    "en": (
        "Can I talk to a human?",
        "talk to a human",
        "Hi, could I please speak with someone?",
        "I want to speak with an agent",
        "I'd like to chat with a real person, please!",
        "Please connect me to a live agent.",
        "Could you transfer me to customer support?",
        "This does not help. Let me talk to a person",
        "No, I need a human",
        "human agent please",
        "Is there someone I can talk to?",
        "CAN I TALK TO A PERSON???",
    ),
    "de": (
        "Kann ich mit einem Menschen sprechen?",
        "Ich möchte bitte mit einem Mitarbeiter reden.",
        "mit jemandem chatten",
        "Verbinden Sie mich bitte mit einem echten Menschen",
        "Könnten Sie mich mit einer Person verbinden?",
    ),
    "es": ("¿Puedo hablar con una persona?", "Quiero hablar con un humano, por favor", "hablar con un agente"),
    "fr": (
        "Puis-je parler à quelqu'un ?",
        "Je voudrais parler à un conseiller, s’il vous plaît",
        "parler à un humain",
        "Mettez-moi en relation avec un conseiller",
    ),
    "ro": (
        "Pot să vorbesc cu cineva?",
        "Vreau să vorbesc cu un operator uman",
        "as vrea sa vorbesc cu o persoana reala",
    ),
    "ru": ("Можно поговорить с человеком?", "Соедините меня с оператором", "позовите оператора, пожалуйста"),
    "el": ("Μπορώ να μιλήσω με κάποιον;", "Θέλω να μιλήσω με έναν άνθρωπο", "θα ήθελα να μιλήσω με εκπρόσωπο"),
    "tr": ("Bir insanla konuşabilir miyim?", "Müşteri temsilcisiyle görüşmek istiyorum", "İnsanla konuşmak istiyorum"),
    "ar": ("هل يمكنني التحدث مع شخص حقيقي؟", "أريد أن أتحدث مع موظف", "التحدث إلى موظف خدمة العملاء"),
    "zh": ("转人工", "你好，请转人工客服。", "我想和真人聊聊", "我想跟客服沟通", "可以轉人工嗎？"),
    "vi": ("Tôi muốn nói chuyện với nhân viên", "Tôi có thể gặp nhân viên hỗ trợ không?", "nói chuyện với người thật"),
    "th": ("ขอคุยกับคนได้ไหมคะ", "อยากคุยกับเจ้าหน้าที่", "ติดต่อกับเจ้าหน้าที่หน่อยครับ"),
    "hi": ("मुझे किसी इंसान से बात करनी है", "क्या मैं किसी व्यक्ति से बात कर सकता हूँ?"),
    "it": (
        "Posso parlare con una persona?",
        "Vorrei parlare con un operatore, per favore",
        "voglio un operatore umano",
    ),
    "pt": ("Posso falar com uma pessoa?", "Quero falar com um atendente", "gostaria de falar com alguém, por favor"),
    "nl": ("Kan ik met een medewerker spreken?", "Ik wil graag met iemand praten", "een echt mens graag"),
    "pl": ("Czy mogę porozmawiać z człowiekiem?", "Proszę mnie połączyć z konsultantem", "chcę rozmawiać z kimś"),
    "ja": ("人間と話したいです。", "担当者につないでください", "オペレーターと話せますか？"),
    "he": ("אפשר לדבר עם נציג?", "אני רוצה לדבר עם בן אדם", "נציג אנושי בבקשה"),
    "fa": ("می‌خواهم با یک انسان صحبت کنم", "لطفاً مرا به اپراتور وصل کنید"),
    "ur": ("مجھے کسی انسان سے بات کرنی ہے", "کیا میں کسی نمائندے سے بات کر سکتا ہوں؟"),
}

QUESTIONS = (
    "What is human resources?",
    "How do I talk to human resources?",
    "Talk to a person about X in the docs says?",
    "What does the page on how to talk to a human say?",
    "Can I talk to a human resources manager about my contract?",
    "Why can't I talk to a human?",
    "I don't want to talk to a human.",
    "Do your agents talk to people?",
    "How does an agent talk to a person with a hearing loss?",
    "Can I speak with an accent to the device?",
    "How do I connect to the agent?",
    "human",
    "person",
    "agent",
    "Are you a human?",
    "Who is the contact person?",
    "Can I talk to a human? That is what the old widget asked. Does yours?",
    "Was kostet ein Gespräch mit einem Mitarbeiter?",
    "Wie kann ein Roboter mit einem Menschen sprechen?",
    "¿Cómo puedo hablar con una persona sorda?",
    "Comment parler à un humain dans le jeu ?",
    "Как нейросеть может поговорить с человеком?",
    "什么是人工智能？",
    "人工智能",
    "真人版电影什么时候上映",
    "",
    "?!",
)


def test_every_language_of_ours_has_its_wishes() -> None:
    assert set(WISHES) == LANGUAGES


@every_row("message", [wish for wishes in WISHES.values() for wish in wishes])
def test_a_wish_for_a_person_is_heard(message: str) -> None:
    assert asks_for_person(message)


@every_row("message", QUESTIONS)
def test_a_question_about_people_is_none(message: str) -> None:
    assert not asks_for_person(message)


@pytest.mark.parametrize("unit", ["想要", "please ", "มนุษย์", "my ", "talk to a human "])
def test_what_was_made_to_take_long_does_not(unit: str) -> None:
    assert not asks_for_person(unit * 500)
    assert takes_linear_time(asks_for_person, unit, 500)

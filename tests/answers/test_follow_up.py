"""Follow-ups are told from whole new questions, in every language that we speak."""

import pytest

from app.answers.follow_up import leans_on_history, stitched
from app.core.text.languages import LANGUAGES

FOLLOW_UPS = {
    "en": (
        "and for teams?",
        "What about returns?",
        "How long does it last?",
        "Why?",
        "in black?",
        "How much is that one?",
        "And how much is the one she named?",
        "And does it cover the battery?",
        "What if I pay yearly?",
        "tell me more",
        "Is there a cheaper one?",
        "how much?",
        "Thanks! And for teams?",
        "And in Germany?",
        "Does that include shipping?",
        "Which one is cheaper?",
        "Where can I buy them online?",
        "Can I cancel it before the end of the month?",
        "What are its dimensions?",
        "When?",
        "And yearly?",
        "for students?",
        "without an account?",
        "how do I install it",
    ),
    "de": (
        "Und für Teams?",
        "Was ist mit Rücksendungen?",
        "Wie lange dauert das?",
        "Warum?",
        "in Schwarz?",
        "Und in Österreich?",
        "Was kostet es?",
        "Kann ich es kündigen?",
        "Wie viel?",
        "Gilt das auch für Firmen?",
        "Und wenn ich jährlich zahle?",
        "ohne Konto?",
        "Und die Garantie?",
    ),
    "es": (
        "¿y para equipos?",
        "¿Qué hay de las devoluciones?",
        "¿Por qué?",
        "¿Cuánto cuesta eso?",
        "¿y en Francia?",
        "¿Cómo puedo cancelarlo?",
        "sin cuenta?",
        "¿y si pago por año?",
    ),
    "fr": (
        "et pour les équipes ?",
        "Qu'en est-il des retours ?",
        "Pourquoi ?",
        "Combien ça coûte ?",
        "en noir ?",
        "Combien de temps dure-t-elle ?",
        "Comment l'annuler ?",
        "et si je paie par an ?",
    ),
    "it": (
        "e per i team?",
        "Perché?",
        "Quanto costa questo?",
        "in nero?",
        "Come posso annullarlo?",
        "e la garanzia?",
    ),
    "pt": (
        "e para equipes?",
        "Por quê?",
        "Quanto custa isso?",
        "em preto?",
        "e a garantia?",
        "Como funciona ele?",
    ),
    "nl": (
        "en voor teams?",
        "Waarom?",
        "Hoeveel kost het?",
        "in het zwart?",
        "Hoe zit het met retourneren?",
        "Kan ik die ruilen?",
    ),
    "pl": (
        "a dla zespołów?",
        "Dlaczego?",
        "Ile to kosztuje?",
        "A co z gwarancją?",
        "Jak mogę go anulować?",
    ),
    "ro": (
        "și pentru echipe?",
        "De ce?",
        "Cât costă asta?",
        "dar pentru studenți?",
        "Cum îl anulez?",
    ),
    "ru": (
        "а для команд?",
        "Почему?",
        "Сколько это стоит?",
        "А что насчёт возврата?",
        "Как его отменить?",
        "в чёрном цвете?",
    ),
    "el": (
        "και για ομάδες;",
        "Γιατί;",
        "Πόσο κοστίζει αυτό;",
        "Τι γίνεται με τις επιστροφές;",
    ),
    "tr": (
        "peki ya ekipler için?",
        "Neden?",
        "Bu ne kadar?",
        "Onu nasıl iptal ederim?",
    ),
    "ar": (
        "وماذا عن الفرق؟",
        "لماذا؟",
        "كم سعرها؟",
        "كيف يمكنني إلغاؤه؟",
    ),
    "he": (
        "ומה לגבי צוותים?",
        "למה?",
        "כמה זה עולה?",
        "איך אפשר לבטל אותו?",
    ),
    "fa": (
        "و برای تیم‌ها؟",
        "چرا؟",
        "قیمت آن چقدر است؟",
        "چطور آن را لغو کنم؟",
    ),
    "ur": (
        "اور ٹیموں کے لیے؟",
        "کیوں؟",
        "اس کی قیمت کیا ہے؟",
    ),
    "hi": (
        "और टीमों के लिए?",
        "क्यों?",
        "इसकी कीमत क्या है?",
        "उसे कैसे रद्द करूँ?",
    ),
    "vi": (
        "còn cho nhóm thì sao?",
        "Tại sao?",
        "Nó giá bao nhiêu?",
        "Làm sao để hủy nó?",
    ),
    "th": (
        "แล้วสำหรับทีมล่ะ",
        "ทำไม",
        "มันราคาเท่าไร",
        "ยกเลิกมันได้อย่างไร",
    ),
    "zh": (
        "那团队呢？",
        "为什么？",
        "它多少钱？",
        "怎么取消它？",
        "这个怎么安装？",
    ),
    "ja": (
        "チームの場合は？",
        "なぜですか？",
        "それはいくらですか？",
        "では返品は？",
    ),
}

NEW_QUESTIONS = {
    "en": (
        "How do I cancel my subscription?",
        "What does the Pro plan cost per month?",
        "Is there a student discount on the plans?",
        "...",
        "Refund policy",
        "opening hours",
        "Pricing",
        "So how do I install plugins for the CLI?",
        "How do visitors change their password?",
        "Can I return a lamp if it is broken?",
        "Is it possible to pay by invoice?",
        "How long does it take to ship to Norway?",
        "But what does shipping to Norway cost?",
        "Do you sell giraffes?",
        "Who founded the company?",
        "How do I reset my password?",
        "API rate limit",
        "Where is your office?",
        "contact support",
        "How do I clean the filter when it is dirty?",
        "Or do you have a phone number for sales?",
        "Then where do I find the invoice for March?",
        "What languages does the widget support?",
        "How do customers get their money back?",
        "error 503",
        "Wi-Fi setup",
        "Do you ship to Norway?",
        "export data as CSV",
        "How about the warranty of lamps bought abroad?",
    ),
    "de": (
        "Wie kündige ich mein Abo?",
        "Gibt es einen Rabatt für Studenten?",
        "Versandkosten",
        "Wie lange dauert es bis zur Lieferung nach Norwegen?",
        "Haben Sie ein Geschäft in Berlin?",
        "Wo finde ich die Rechnung?",
        "Öffnungszeiten",
        "Kann ich eine Lampe zurückgeben, wenn sie kaputt ist?",
        "Ist es möglich, auf Rechnung zu zahlen?",
        "Und wo finde ich die Rechnung für März?",
        "Passwort zurücksetzen",
    ),
    "es": (
        "¿Cuál es el precio del plan Pro?",
        "¿Cómo cancelo mi suscripción?",
        "política de devoluciones",
        "¿Hay descuento para estudiantes?",
        "horario de apertura",
        "¿Dónde está la oficina en Madrid?",
    ),
    "fr": (
        "Comment annuler mon abonnement ?",
        "Y a-t-il une remise pour les étudiants ?",
        "Où est le bureau de Paris ?",
        "frais de livraison",
        "Est-il possible de payer par facture ?",
        "Quel est le prix du forfait Pro ?",
    ),
    "it": (
        "Come posso annullare l'abbonamento?",
        "C'è uno sconto per studenti?",
        "orari di apertura",
        "Quanto costa il piano Pro?",
    ),
    "pt": (
        "Como cancelo a minha assinatura?",
        "Há desconto para estudantes?",
        "política de devolução",
        "Quanto custa o plano Pro?",
    ),
    "nl": (
        "Hoe zeg ik mijn abonnement op?",
        "Is er korting voor studenten?",
        "openingstijden",
        "Hoeveel kost het Pro-abonnement?",
        "Is het mogelijk om op rekening te betalen?",
    ),
    "pl": (
        "Jak anulować subskrypcję?",
        "Czy jest zniżka dla studentów?",
        "godziny otwarcia",
        "Ile kosztuje plan Pro?",
    ),
    "ro": (
        "Cum îmi anulez abonamentul?",
        "Există reducere pentru studenți?",
        "program de lucru",
        "Cât costă planul Pro?",
    ),
    "ru": (
        "Как отменить подписку?",
        "Есть ли скидка для студентов?",
        "часы работы",
        "Сколько стоит тариф Про?",
    ),
    "el": (
        "Πώς ακυρώνω τη συνδρομή μου;",
        "Υπάρχει έκπτωση για φοιτητές;",
        "ώρες λειτουργίας",
    ),
    "tr": (
        "Aboneliğimi nasıl iptal ederim?",
        "Öğrenci indirimi var mı?",
        "çalışma saatleri",
    ),
    "ar": (
        "كيف يمكنني إلغاء اشتراكي؟",
        "هل يوجد خصم للطلاب؟",
        "ساعات العمل",
        "ما هو سعر الخطة الاحترافية؟",
    ),
    "he": (
        "איך מבטלים את המינוי שלי?",
        "האם יש הנחה לסטודנטים?",
        "שעות פתיחה",
    ),
    "fa": (
        "چگونه اشتراک خود را لغو کنم؟",
        "آیا برای دانشجویان تخفیف دارید؟",
        "ساعات کاری",
    ),
    "ur": (
        "میں اپنی سبسکرپشن کیسے منسوخ کروں؟",
        "کیا طلبہ کے لیے رعایت ہے؟",
    ),
    "hi": (
        "मैं अपनी सदस्यता कैसे रद्द करूँ?",
        "क्या छात्रों के लिए छूट है?",
        "खुलने का समय",
    ),
    "vi": (
        "Làm thế nào để hủy đăng ký?",
        "Có giảm giá cho sinh viên không?",
        "giờ mở cửa",
    ),
    "th": (
        "ฉันจะยกเลิกการสมัครสมาชิกได้อย่างไร",
        "มีส่วนลดสำหรับนักเรียนไหม",
        "เวลาเปิดทำการ",
    ),
    "zh": (
        "如何取消订阅？",
        "有学生折扣吗？",
        "营业时间",
        "客户如何更改他们的密码？",
        "如何重置我的密码？",
    ),
    "ja": (
        "サブスクリプションを解約するにはどうすればいいですか？",
        "学生割引はありますか？",
        "営業時間",
        "パスワードをリセットする方法は？",
    ),
}


def test_the_tables_have_every_language() -> None:
    assert set(FOLLOW_UPS) == set(NEW_QUESTIONS) == LANGUAGES
    assert sum(map(len, FOLLOW_UPS.values())) >= 110
    assert sum(map(len, NEW_QUESTIONS.values())) >= 110


def test_of_a_hundred_follow_ups_ninety_eight_lean_on_history() -> None:
    asked = [question for questions in FOLLOW_UPS.values() for question in questions]
    missed = [question for question in asked if not leans_on_history(question)]
    assert len(missed) <= 0.02 * len(asked), missed


def test_of_a_hundred_new_questions_ninety_eight_stand_alone() -> None:
    asked = [question for questions in NEW_QUESTIONS.values() for question in questions]
    joined = [question for question in asked if leans_on_history(question)]
    assert len(joined) <= 0.02 * len(asked), joined


@pytest.mark.parametrize(
    "question",
    ["and for teams?", "What about returns?", "How long does it last?", "Why?", "in black?", "Und für Teams?"],
)
def test_a_question_that_points_back_leans_on_history(question: str) -> None:
    assert leans_on_history(question)


@pytest.mark.parametrize(
    "question",
    [
        "How do I cancel my subscription?",
        "So where do I change my password?",
        "Can I return a lamp if it is broken?",
        "Refund policy",
        "...",
        "How long does the battery of the big lamp last, and how do I change it when it is empty? " * 3,
    ],
)
def test_a_question_that_names_its_subject_stands_alone(question: str) -> None:
    assert not leans_on_history(question)


@pytest.mark.parametrize(
    ("earlier", "searched"),
    [
        pytest.param(["What do plans cost?"], "What do plans cost? and for teams?", id="the last question"),
        pytest.param(
            ["What do plans cost?", "and yearly?"],
            "What do plans cost? and yearly? and for teams?",
            id="the last one leans as well",
        ),
        pytest.param(
            ["What do plans cost?", "Do you ship to Norway?"],
            "Do you ship to Norway? and for teams?",
            id="the last one stands alone",
        ),
        pytest.param(["What do plans cost?", "thanks!"], "What do plans cost? and for teams?", id="thanks between"),
        pytest.param(["hello"], "and for teams?", id="nothing was asked"),
        pytest.param(["a?", "and b?", "and c?", "and d?"], "and c? and d? and for teams?", id="two at most"),
    ],
)
def test_a_stitch_puts_in_front_what_the_question_leans_on(earlier: list[str], searched: str) -> None:
    assert stitched("and for teams?", earlier) == searched

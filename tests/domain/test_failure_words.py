"""Answers that admit not knowing, and answers that only sound like it, in every language that we speak ourselves."""

import pytest

from app.domain.failure_words import has_failure_words
from app.domain.own_words import LANGUAGES, own_words

REFUSALS = {
    "en": [
        "I couldn't find anything about that.",
        "The sources do not mention a student discount.",
        "The pages don’t say whether it ships to Norway.",
        "There is no information about opening hours on this website.",
        "I don't know.",
    ],
    "es": [
        "No he encontrado información sobre los gastos de envío.",
        "Lo siento, no lo sé.",
        "Las fuentes no mencionan ningún descuento.",
        "No hay información sobre eso.",
        "No encuentro ese dato en el sitio.",
    ],
    "de": [
        "Dazu habe ich leider nichts gefunden.",
        "Das weiß ich leider nicht.",
        "Die Quellen enthalten dazu keine Angaben.",
        "Auf der Website gibt es keine Informationen über Rabatte.",
        "Die Quellen sagen nichts über den Versand nach Norwegen.",
    ],
    "fr": [
        "Je n'ai pas trouvé cette information.",
        "Je ne sais pas.",
        "Les sources ne mentionnent pas de remise.",
        "Il n'y a aucune information à ce sujet.",
    ],
    "ro": [
        "Nu am găsit informații despre acest lucru.",
        "Îmi pare rău, nu știu.",
        "Sursele nu menționează o reducere pentru studenți.",
        "Nu există informații despre programul de lucru.",
    ],
    "ru": [
        "Я не нашёл информации об этом.",
        "К сожалению, я не знаю.",
        "В источниках не указано, есть ли скидка.",
        "На сайте нет информации о доставке.",
        "Мне не удалось найти ответ.",
    ],
    "el": [
        "Δεν βρήκα πληροφορίες για αυτό.",
        "Λυπάμαι, δεν γνωρίζω.",
        "Οι πηγές δεν αναφέρουν έκπτωση.",
        "Δεν υπάρχουν σχετικές πληροφορίες στον ιστότοπο.",
    ],
    "tr": [
        "Bununla ilgili bir şey bulamadım.",
        "Üzgünüm, bilmiyorum.",
        "Kaynaklarda indirimden bahsedilmiyor.",
        "Bu konuda bilgi bulunmuyor.",
    ],
    "ar": [
        "لم أجد معلومات عن ذلك.",
        "عذرًا، لا أعرف.",
        "المصادر لا تذكر أي خصم.",
        "لا توجد معلومات حول ساعات العمل.",
    ],
    "zh": [
        "我没有找到相关内容。",
        "抱歉，我不知道。",
        "资料中未提及学生折扣。",
        "网站上没有关于营业时间的相关信息。",
        "来源没有提供这方面的信息。",
    ],
    "vi": [
        "Tôi không tìm thấy điều đó trên trang web.",
        "Xin lỗi, tôi không biết.",
        "Các nguồn không đề cập đến giảm giá.",
        "Không có thông tin về giờ mở cửa.",
    ],
    "th": [
        "ฉันไม่พบเรื่องนี้ในเว็บไซต์",
        "ขออภัย ฉันไม่ทราบ",
        "แหล่งข้อมูลไม่ได้กล่าวถึงส่วนลด",
        "ไม่มีข้อมูลเกี่ยวกับเวลาเปิดทำการ",
    ],
    "hi": [
        "मुझे इसके बारे में कुछ नहीं मिला।",
        "क्षमा करें, मुझे नहीं पता।",
        "स्रोतों में छूट का उल्लेख नहीं है।",
        "खुलने के समय के बारे में जानकारी उपलब्ध नहीं है।",
    ],
}

ANSWERS = {
    "en": [
        "Returns are free within 30 days [1].",
        "If the app cannot find your lamp, restart Bluetooth [1].",
        "We do not charge for returns [2].",
        "No, there is no fee [1].",
    ],
    "es": [
        "No, no cobramos por las devoluciones [1].",
        "Si la aplicación no detecta la lámpara, reinicie Bluetooth [1].",
        "El envío no tiene coste [2].",
    ],
    "de": [
        "Nein, Rücksendungen kosten nichts [1].",
        "Wenn die App Ihre Lampe nicht erkennt, starten Sie Bluetooth neu [1].",
        "Es gibt keine Gebühren [2].",
        "Nicht genutzte Lampen nehmen wir 30 Tage lang zurück [1].",
    ],
    "fr": [
        "Non, les retours ne coûtent rien [1].",
        "Si l'application ne détecte pas la lampe, redémarrez le Bluetooth [1].",
        "Il n'y a pas de frais [2].",
    ],
    "ro": [
        "Nu, returul este gratuit [1].",
        "Dacă aplicația nu detectează lampa, reporniți Bluetooth [1].",
        "Nu există taxe suplimentare [2].",
    ],
    "ru": [
        "Нет, возврат бесплатный [1].",
        "Если приложение не видит лампу, перезапустите Bluetooth [1].",
        "Нет, дополнительной платы нет [2].",
    ],
    "el": [
        "Όχι, οι επιστροφές είναι δωρεάν [1].",
        "Αν η εφαρμογή δεν εντοπίζει τη λάμπα, επανεκκινήστε το Bluetooth [1].",
        "Δεν υπάρχουν επιπλέον χρεώσεις [2].",
    ],
    "tr": [
        "Hayır, iade ücretsizdir [1].",
        "Uygulama lambayı görmüyorsa Bluetooth'u yeniden başlatın [1].",
        "Ek ücret yok [2].",
    ],
    "ar": [
        "لا، الإرجاع مجاني [1].",
        "إذا لم يتعرف التطبيق على المصباح، أعد تشغيل البلوتوث [1].",
        "لا توجد رسوم إضافية [2].",
    ],
    "zh": [
        "不，退货是免费的 [1]。",
        "如果应用无法识别灯具，请重启蓝牙 [1]。",
        "没有额外费用 [2]。",
    ],
    "vi": [
        "Không, việc trả hàng là miễn phí [1].",
        "Nếu ứng dụng không nhận ra đèn, hãy khởi động lại Bluetooth [1].",
        "Không có phụ phí [2].",
    ],
    "th": [
        "ไม่ การคืนสินค้าไม่มีค่าใช้จ่าย [1]",
        "หากแอปไม่เห็นโคมไฟ ให้เปิดบลูทูธใหม่ [1]",
        "ไม่มีค่าธรรมเนียมเพิ่มเติม [2]",
    ],
    "hi": [
        "नहीं, वापसी निःशुल्क है [1]।",
        "यदि ऐप लैंप को नहीं पहचानता, तो ब्लूटूथ फिर से चालू करें [1]।",
        "कोई अतिरिक्त शुल्क नहीं है [2]।",
    ],
}


def test_the_tables_have_every_language_with_four_refusals_and_three_answers() -> None:
    assert set(REFUSALS) == set(ANSWERS) == LANGUAGES
    assert all(len(said) >= 4 for said in REFUSALS.values())
    assert all(len(said) >= 3 for said in ANSWERS.values())


@pytest.mark.parametrize("answer", [said for language in REFUSALS.values() for said in language])
def test_an_answer_that_admits_not_knowing_is_heard(answer: str) -> None:
    assert has_failure_words(answer)
    assert has_failure_words(f"{answer} [1]")


@pytest.mark.parametrize("answer", [said for language in ANSWERS.values() for said in language])
def test_an_answer_that_says_no_is_an_answer(answer: str) -> None:
    assert not has_failure_words(answer)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_our_own_refusal_is_heard_as_one(language: str) -> None:
    assert has_failure_words(own_words(language).not_found)


def test_what_comes_late_in_an_answer_is_no_refusal() -> None:
    assert not has_failure_words("The plan costs 12 euros a month [1]. " * 8 + "I could not find a discount.")

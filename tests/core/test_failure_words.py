"""Answers that admit not knowing, and answers that only sound like it, in every language that we speak ourselves."""

import re

from app.core.text.answer_words import has_failure_words
from app.core.text.canned_messages import canned_messages
from app.core.text.languages import LANGUAGES, language_table

REFUSALS = {
    "en": [
        "I couldn't find anything about that.",
        "The sources do not mention a student discount.",
        "The pages don’t say whether it ships to Norway.",
        "There is no information about opening hours on this website.",
        "I don't know.",
        "The documentation provided does not cover that.",
        "This is not covered in the pages that I have.",
        "The website doesn't include a list of prices.",
        "These sources do not contain an answer.",
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
    "it": [
        "Non ho trovato informazioni su questo.",
        "Mi dispiace, non lo so.",
        "Le fonti non menzionano alcuno sconto.",
        "Non ci sono informazioni sugli orari di apertura.",
    ],
    "pt": [
        "Não encontrei informações sobre isso.",
        "Desculpe, não sei.",
        "As fontes não mencionam nenhum desconto.",
        "Não há informações sobre o horário de funcionamento.",
    ],
    "nl": [
        "Ik heb daar niets over gevonden.",
        "Sorry, dat weet ik niet.",
        "De bronnen vermelden niets over korting.",
        "Er is geen informatie over openingstijden.",
    ],
    "pl": [
        "Nie znalazłem informacji na ten temat.",
        "Przepraszam, nie wiem.",
        "Źródła nie wspominają o zniżce.",
        "Brak informacji o godzinach otwarcia.",
    ],
    "ja": [
        "それについては見つかりませんでした。",
        "申し訳ありませんが、わかりません。",
        "出典には割引について記載されていません。",
        "営業時間に関する情報はありません。",
    ],
    "he": [
        "לא מצאתי מידע על כך.",
        "מצטער, איני יודע.",
        "המקורות אינם מזכירים הנחה.",
        "אין מידע על שעות הפתיחה.",
    ],
    "fa": [
        "در این باره چیزی پیدا نکردم.",
        "متأسفم، نمی‌دانم.",
        "منابع به تخفیف اشاره نکرده‌اند.",
        "اطلاعاتی دربارهٔ ساعات کار وجود ندارد.",
    ],
    "ur": [
        "مجھے اس بارے میں کچھ نہیں ملا۔",
        "معذرت، مجھے معلوم نہیں۔",
        "ذرائع میں رعایت کا ذکر نہیں ہے۔",
        "کھلنے کے اوقات کے بارے میں معلومات دستیاب نہیں ہیں۔",
    ],
}

# What the first table does not say: not being sure, not being able to find or to answer.
UNSURE = {
    "en": [
        "I'm not sure.",
        "I am not entirely sure about that.",
        "I was unable to find that.",
        "I cannot answer that.",
    ],
    "es": ["No estoy seguro de eso.", "No puedo responder a esa pregunta."],
    "de": ["Da bin ich mir nicht sicher.", "Diese Frage kann ich leider nicht beantworten."],
    "fr": ["Je ne suis pas sûr.", "Je n'ai pas pu trouver cette information.", "Impossible de trouver la réponse."],
    "ro": ["Nu sunt sigur.", "Nu pot răspunde la această întrebare."],
    "ru": ["Я не уверен.", "Не могу найти ответ.", "Я не могу ответить на этот вопрос."],
    "el": ["Δεν είμαι σίγουρος.", "Δεν μπορώ να απαντήσω σε αυτό."],
    "tr": ["Emin değilim.", "Bu soruyu yanıtlayamıyorum."],
    "ar": ["لست متأكدًا من ذلك.", "لا أستطيع الإجابة عن هذا السؤال."],
    "zh": ["我不确定。", "我无法回答这个问题。"],
    "vi": ["Tôi không chắc.", "Tôi không thể trả lời câu hỏi này."],
    "th": ["ฉันไม่แน่ใจ", "ฉันไม่สามารถตอบคำถามนี้ได้"],
    "hi": ["मैं निश्चित नहीं हूँ।", "मैं इस प्रश्न का उत्तर नहीं दे सकता।"],
    "it": ["Non sono sicuro.", "Non riesco a trovare questa informazione."],
    "pt": ["Não tenho certeza.", "Não consegui encontrar essa informação."],
    "nl": ["Dat weet ik niet zeker.", "Ik kan deze vraag niet beantwoorden."],
    "pl": ["Nie jestem pewien.", "Nie mogę odpowiedzieć na to pytanie."],
    "ja": ["確信が持てません。", "その質問にはお答えできません。"],
    "he": ["איני בטוח.", "לא הצלחתי למצוא את זה."],
    "fa": ["مطمئن نیستم.", "نمی‌توانم به این پرسش پاسخ بدهم."],
    "ur": ["مجھے یقین نہیں ہے۔", "میں اس سوال کا جواب نہیں دے سکتا۔"],
}

# Without a subject, as models write in reports.
SUBJECTLESS = {
    "en": [
        "Unable to find any information on this.",
        "Not available in the sources.",
        "No details are given.",
        "No specific information provided.",
        "The question is not directly answered in the given sources.",
        "This is not supported by the sources provided.",
        "The sources focus on pay, but do not address the question.",
    ],
    "es": ["No se ha encontrado información al respecto.", "No figura en las fuentes."],
    "de": ["In den Quellen nicht enthalten.", "Keine Angaben dazu.", "Keine näheren Informationen verfügbar."],
    "fr": [
        "Impossible de trouver cette information.",
        "Aucun détail n'est donné.",
        "Non mentionné : pas indiqué dans les sources.",
    ],
    "ro": ["Nu s-au găsit informații.", "Nu este menționat în surse."],
    "ru": ["Не удалось найти сведения.", "Информация не найдена.", "Не указано в источниках."],
    "el": ["Δεν βρέθηκαν πληροφορίες.", "Δεν αναφέρεται στις πηγές."],
    "tr": ["Bilgi bulunamadı.", "Kaynaklarda belirtilmemiş."],
    "ar": ["تعذر العثور على معلومات.", "لا توجد تفاصيل."],
    "zh": ["未找到相关信息。", "来源中没有提供。"],
    "vi": ["Không tìm thấy thông tin.", "Không có trong nguồn."],
    "th": ["ไม่พบข้อมูล", "ไม่มีในแหล่งที่มา"],
    "hi": ["जानकारी नहीं मिली।", "स्रोतों में उपलब्ध नहीं।"],
    "it": ["Nessuna informazione trovata.", "Non è indicato nelle fonti."],
    "pt": ["Não foram encontradas informações.", "Não consta nas fontes."],
    "nl": ["Geen nadere informatie gevonden.", "Niet vermeld in de bronnen."],
    "pl": ["Nie znaleziono informacji.", "Brak szczegółów."],
    "ja": ["情報は提供されていません。", "出典にありません。"],
    "he": ["לא נמצא מידע.", "לא מופיע במקורות."],
    "fa": ["اطلاعاتی یافت نشد.", "در منابع ذکر نشده است."],
    "ur": ["معلومات دستیاب نہیں۔", "ذرائع میں موجود نہیں۔"],
}

ANSWERS = {
    "en": [
        "Returns are free within 30 days [1].",
        "If the app cannot find your lamp, restart Bluetooth [1].",
        "We do not charge for returns [2].",
        "No, there is no fee [1].",
        "Make sure that the lamp is switched off [1].",
        "You will not be able to return a broken lamp [1].",
        "The small plan does not include messages by SMS [1].",
        "You are not covered outside Europe [1].",
        "Damage by water is not covered by the warranty [1].",
        "The lamp does not contain mercury, and the box does not include a bulb [1].",
        "The hub does not know the forecast [1].",
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
    "it": [
        "No, i resi non costano nulla [1].",
        "Se l'app non rileva la lampada, riavvii il Bluetooth [1].",
        "Non ci sono costi aggiuntivi [2].",
    ],
    "pt": [
        "Não, as devoluções são gratuitas [1].",
        "Se a aplicação não encontrar a lâmpada, reinicie o Bluetooth [1].",
        "Não há custos adicionais [2].",
    ],
    "nl": [
        "Nee, retourneren is gratis [1].",
        "Als de app uw lamp niet vindt, start Bluetooth dan opnieuw [1].",
        "Er zijn geen extra kosten [2].",
    ],
    "pl": [
        "Nie, zwroty są bezpłatne [1].",
        "Jeśli aplikacja nie widzi lampy, proszę ponownie uruchomić Bluetooth [1].",
        "Nie ma dodatkowych opłat [2].",
    ],
    "ja": [
        "いいえ、返品は無料です [1]。",
        "アプリがランプを認識しない場合は、Bluetoothを再起動してください [1]。",
        "追加料金はありません [2]。",
    ],
    "he": [
        "לא, ההחזרה חינם [1].",
        "אם האפליקציה לא מזהה את המנורה, הפעילו מחדש את ה-Bluetooth [1].",
        "אין עמלות נוספות [2].",
    ],
    "fa": [
        "نه، بازگرداندن رایگان است [1].",
        "اگر برنامه چراغ را نمی‌شناسد، بلوتوث را دوباره روشن کنید [1].",
        "هزینهٔ اضافی وجود ندارد [2].",
    ],
    "ur": [
        "نہیں، واپسی مفت ہے [1]۔",
        "اگر ایپ لیمپ کو نہیں پہچانتی تو بلوٹوتھ دوبارہ چلائیں [1]۔",
        "کوئی اضافی فیس نہیں ہے [2]۔",
    ],
}


def test_the_tables_have_every_language_with_four_refusals_and_three_answers() -> None:
    assert set(REFUSALS) == set(UNSURE) == set(SUBJECTLESS) == set(ANSWERS) == LANGUAGES
    assert all(len(said) >= 4 for said in REFUSALS.values())
    assert all(len(said) >= 3 for said in ANSWERS.values())


def test_an_answer_that_admits_not_knowing_is_heard() -> None:
    answers = [each for table in (REFUSALS, UNSURE, SUBJECTLESS) for language in table.values() for each in language]
    unheard = [each for each in answers if not (has_failure_words(each) and has_failure_words(f"{each} [1]"))]
    assert unheard == []


def test_an_answer_that_says_no_is_an_answer() -> None:
    answers = [each for language in ANSWERS.values() for each in language]
    assert [each for each in answers if has_failure_words(each)] == []


def test_our_own_refusal_is_heard_as_one() -> None:
    refusals = {language: canned_messages(language).not_found for language in LANGUAGES}
    assert [language for language, refusal in refusals.items() if not has_failure_words(refusal)] == []


def test_what_comes_late_in_an_answer_is_no_refusal() -> None:
    assert not has_failure_words("The plan costs 12 euros a month [1]. " * 8 + "I could not find a discount.")


def test_a_short_answer_is_read_to_its_end() -> None:
    assert has_failure_words(
        "The plan costs 12 euros a month [1]. It can be cancelled. No details are given on discounts."
    )


def test_capitals_do_not_count() -> None:
    assert has_failure_words("THE SOURCES DO NOT MENTION A DISCOUNT.")


def test_expressions_of_scripts_that_are_not_asked_about_ascii_hold_no_letter_of_it() -> None:
    patterns = [pattern for language in LANGUAGES for pattern in language_table(language)["failure"]]
    others = [pattern for pattern in patterns if not pattern.startswith(r"\b")]
    assert others
    assert [pattern for pattern in others if re.search(r"[A-Za-z]", re.sub(r"\\[A-Za-z]", "", pattern))] == []

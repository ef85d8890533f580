"""What we say ourselves, where neither a page nor a model speaks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OwnWords:
    """`not_found`: nothing answers the question; `withheld`: the answer must not be shown; `cannot_search`: the search
    is away; `your_page`: the title of what the visitor's own browser told us; `person_asked`: somebody was called."""

    not_found: str
    withheld: str
    cannot_search: str
    your_page: str
    person_asked: str


def own_words(language: str | None) -> OwnWords:
    """In the language (BCP 47 primary subtag), in English where we do not speak it."""
    return _WORDS.get(language or "en", ENGLISH)


ENGLISH = OwnWords(
    "I could not find an answer to that on this website. You could try other words, or ask the people behind the site.",
    "I cannot answer that.",
    "I cannot search this website right now. Please try again in a few minutes.",
    "Your page",
    "I have asked a person to come. Please stay on this page: they will write to you here.",
)

_WORDS = {
    "en": ENGLISH,
    "es": OwnWords(
        "No he encontrado una respuesta a eso en este sitio web. Pruebe con otras palabras o pregunte a sus "
        "responsables.",
        "No puedo responder a eso.",
        "Ahora mismo no puedo buscar en este sitio web. Inténtelo de nuevo en unos minutos.",
        "Su página",
        "He pedido que venga una persona. Quédese en esta página, por favor: le escribirá aquí.",
    ),
    "de": OwnWords(
        "Dazu habe ich auf dieser Website keine Antwort gefunden. Versuchen Sie es mit anderen Worten oder fragen Sie "
        "die Betreiber der Website.",
        "Das kann ich nicht beantworten.",
        "Ich kann diese Website gerade nicht durchsuchen. Bitte versuchen Sie es in ein paar Minuten noch einmal.",
        "Ihre Seite",
        "Ich habe einen Menschen dazugerufen. Bitte bleiben Sie auf dieser Seite: Man schreibt Ihnen hier.",
    ),
    "fr": OwnWords(
        "Je n'ai pas trouvé de réponse à cette question sur ce site. Essayez avec d'autres mots, ou demandez à ses "
        "responsables.",
        "Je ne peux pas répondre à cela.",
        "Je ne peux pas faire de recherche sur ce site pour le moment. Réessayez dans quelques minutes.",
        "Votre page",
        "J'ai demandé à une personne de venir. Restez sur cette page : elle vous écrira ici.",
    ),
    "ro": OwnWords(
        "Nu am găsit un răspuns la această întrebare pe acest site. Încercați cu alte cuvinte sau întrebați "
        "administratorii site-ului.",
        "Nu pot răspunde la aceasta.",
        "Momentan nu pot căuta pe acest site. Încercați din nou peste câteva minute.",
        "Pagina dumneavoastră",
        "Am rugat o persoană să vină. Vă rog să rămâneți pe această pagină: vă va scrie aici.",
    ),
    "ru": OwnWords(
        "Я не нашёл ответа на этот вопрос на сайте. Попробуйте спросить другими словами или обратитесь к владельцам "
        "сайта.",
        "Я не могу на это ответить.",
        "Сейчас я не могу искать на этом сайте. Попробуйте ещё раз через несколько минут.",
        "Ваша страница",
        "Я позвал человека. Пожалуйста, оставайтесь на этой странице: вам напишут здесь.",
    ),
    "el": OwnWords(
        "Δεν βρήκα απάντηση σε αυτό στον ιστότοπο. Δοκιμάστε με άλλα λόγια ή ρωτήστε τους υπεύθυνους του ιστότοπου.",
        "Δεν μπορώ να απαντήσω σε αυτό.",
        "Δεν μπορώ να κάνω αναζήτηση στον ιστότοπο αυτή τη στιγμή. Δοκιμάστε ξανά σε λίγα λεπτά.",
        "Η σελίδα σας",
        "Ζήτησα να έρθει ένας άνθρωπος. Μείνετε σε αυτή τη σελίδα, παρακαλώ: θα σας γράψει εδώ.",
    ),
    "tr": OwnWords(
        "Bu web sitesinde bunun yanıtını bulamadım. Başka sözcükler deneyebilir veya sitenin sahiplerine "
        "sorabilirsiniz.",
        "Bunu yanıtlayamam.",
        "Şu anda bu web sitesinde arama yapamıyorum. Lütfen birkaç dakika sonra yeniden deneyin.",
        "Sayfanız",
        "Bir kişinin gelmesini istedim. Lütfen bu sayfada kalın: size buradan yazacak.",
    ),
    "ar": OwnWords(
        "لم أجد إجابة عن ذلك في هذا الموقع. يمكنك تجربة كلمات أخرى أو سؤال القائمين على الموقع.",
        "لا أستطيع الإجابة عن ذلك.",
        "لا أستطيع البحث في هذا الموقع الآن. يُرجى المحاولة مرة أخرى بعد بضع دقائق.",
        "صفحتك",
        "لقد طلبت حضور شخص. يُرجى البقاء في هذه الصفحة: سيكتب لك هنا.",
    ),
    "zh": OwnWords(
        "我在本网站上没有找到这个问题的答案。您可以换个说法再试，或咨询网站的工作人员。",
        "我无法回答这个问题。",
        "我现在无法搜索本网站，请几分钟后再试。",
        "您的页面",
        "我已请工作人员前来。请留在本页，他们会在这里回复您。",
    ),
    "vi": OwnWords(
        "Tôi không tìm thấy câu trả lời cho điều đó trên trang web này. Bạn có thể thử dùng từ khác hoặc hỏi những "
        "người phụ trách trang web.",
        "Tôi không thể trả lời điều đó.",
        "Hiện tôi không thể tìm kiếm trên trang web này. Vui lòng thử lại sau vài phút.",
        "Trang của bạn",
        "Tôi đã nhờ một người đến hỗ trợ. Vui lòng ở lại trang này: họ sẽ viết cho bạn tại đây.",
    ),
    "th": OwnWords(
        "ฉันไม่พบคำตอบของเรื่องนี้ในเว็บไซต์นี้ ลองใช้คำอื่น หรือสอบถามผู้ดูแลเว็บไซต์",
        "ฉันไม่สามารถตอบเรื่องนี้ได้",
        "ขณะนี้ฉันไม่สามารถค้นหาในเว็บไซต์นี้ได้ โปรดลองอีกครั้งในอีกไม่กี่นาที",
        "หน้าของคุณ",
        "ฉันได้ขอให้เจ้าหน้าที่มาแล้ว โปรดอยู่ที่หน้านี้ เจ้าหน้าที่จะเขียนถึงคุณที่นี่",
    ),
    "hi": OwnWords(
        "मुझे इस वेबसाइट पर इसका उत्तर नहीं मिला। आप दूसरे शब्दों में पूछ सकते हैं, या साइट के संचालकों से पूछ सकते हैं।",
        "मैं इसका उत्तर नहीं दे सकता।",
        "मैं अभी इस वेबसाइट पर खोज नहीं कर सकता। कृपया कुछ मिनट बाद फिर प्रयास करें।",
        "आपका पृष्ठ",
        "मैंने एक व्यक्ति को बुलाया है। कृपया इस पृष्ठ पर बने रहें: वे आपको यहीं लिखेंगे।",
    ),
}

LANGUAGES = frozenset(_WORDS)

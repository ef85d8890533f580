"""Whether a visitor wants to talk to a person, in the languages of our own words.

The whole last sentence must be such a wish, beside greetings and courtesy: a question that merely speaks of people
("What does the page on human resources say?") is a question for the agent.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Final

_MAX_CHARS: Final = 500
_SENTENCES: Final = re.compile(r"[.!?;:\n\u037e\u061f\u3002\uff01\uff1f\u0964]+")


def asks_for_person(message: str) -> bool:
    """Whatever the language of the rest: such a sentence is too short to tell one by."""
    if len(message) > _MAX_CHARS:
        return False
    sentences = [words for part in _SENTENCES.split(message) if (words := _folded(part))]
    return bool(sentences) and any(
        pattern.fullmatch(sentences[-1].replace(" ", "") if wishes.is_joined else sentences[-1])
        for wishes, pattern in _patterns()
    )


@dataclass(frozen=True, slots=True)
class _Wishes:
    """Each an alternation of regular expressions over folded words: what may come `before` a wish, the wishes, and what
    may come `after` one. `is_joined` where a language puts no blanks between words."""

    before: str
    wishes: tuple[str, ...]
    after: str
    is_joined: bool = False

    def pattern(self) -> re.Pattern[str]:
        blank = "" if self.is_joined else " "
        wishes = "|".join(self.wishes)
        # Bounded, for some of these overlap: their combinations must stay few.
        return re.compile(_plain(f"(?:(?:{self.before}){blank}){{0,5}}(?:{wishes})(?:{blank}(?:{self.after})){{0,3}}"))


_EN_PERSON: Final = (
    r"(?:(?:a|an|another|an actual|some) )?(?:(?:real|live|actual|human) )?"
    r"(?:human being|human|person|agent|operator|representative|advisor|support agent|employee|staff member)"
    r"|someone|somebody|a member of staff|someone from (?:the |your )?(?:team|support|staff)"
    r"|customer service|(?:customer )?support|(?:the|your) (?:support )?team"
)
_DE_PERSON: Final = (
    r"jemandem|jemand|(?:(?:einem|einer) )?(?:(?:echten|richtigen|wirklichen|menschlichen|anderen) )?"
    r"(?:menschen|person|mitarbeiter|mitarbeiterin|berater|beraterin|ansprechpartner|kundenberater)"
    r"|(?:dem |ihrem )?(?:kundendienst|kundenservice)"
)
_ES_PERSON: Final = (
    r"alguien|una persona(?: real| humana)?|un (?:ser )?humano|un[ao]? (?:agente|operador|operadora|asesor|asesora"
    r"|representante|empleado)(?: human[oa]| real)?|atención al cliente"
)
_FR_PERSON: Final = (
    r"quelqu'un|une (?:vraie |autre )?personne(?: réelle| humaine)?|un (?:vrai )?(?:être humain|humain|conseiller|agent"
    r"|opérateur|employé)(?: humain)?|le service client"
)
_RO_PERSON: Final = (
    r"cineva|o persoană(?: reală)?|un om(?: real)?|un (?:operator|agent|angajat|consultant|reprezentant)(?: uman)?"
)
_RU_PERSON: Final = (
    r"(?:живым |реальным )?(?:человеком|оператором|сотрудником|специалистом|консультантом|менеджером)|кем нибудь"
)
_EL_PERSON: Final = (
    r"κάποιον|(?:έναν? )?(?:πραγματικό )?(?:άνθρωπο|εκπρόσωπο|υπάλληλο|σύμβουλο)|κάποιο άτομο|έναν? συνεργάτη"
)
_TR_PERSON: Final = (
    r"(?:(?:gerçek )?bir )?(?:gerçek )?(?:insanla|insan ile|kişiyle|kişi ile|yetkiliyle|yetkili ile|temsilciyle"
    r"|temsilci ile|müşteri temsilcisiyle|müşteri temsilcisi ile|operatörle)|biriyle|biri ile"
)
_AR_PERSON: Final = (
    r"(?:شخص|انسان|موظف|ممثل)(?: حقيقي| بشري)?|احد الموظفين|موظف خدمة العملاء|ممثل خدمة العملاء|خدمة العملاء"
)
_ZH_PERSON: Final = r"(?:人工|真人)(?:客服|服务|服務)?|客服(?:人员|人員)?|(?:一个|一個)?(?:真实的|真實的)?真?人"
_VI_PERSON: Final = (
    r"(?:một )?(?:người thật|con người|nhân viên(?: hỗ trợ| tư vấn)?|tư vấn viên|người hỗ trợ)|ai đó|một người"
)
_TH_PERSON: Final = r"(?:คน|มนุษย์)(?:จริง(?:ๆ)?)?|เจ้าหน้าที่|พนักงาน|แอดมิน"
_HI_PERSON: Final = r"(?:किसी |एक )?(?:असली )?(?:इंसान|व्यक्ति|मनुष्य|आदमी|एजेंट|प्रतिनिधि|कर्मचारी)|किसी"

_WISHES: Final = (
    _Wishes(
        r"hi|hello|hey|ok|okay|no|sorry|please|just|can i|could i|may i|can we|could we|i want to|i need to|i wish to"
        r"|i would like to|i'd like to|i wanna|i just want to|let me|is it possible to|would it be possible to",
        (
            rf"(?:speak|talk|chat) (?:to|with) (?:{_EN_PERSON})",
            rf"(?:please )?(?:connect|transfer|put) me (?:please )?(?:to|with|through to) (?:{_EN_PERSON})",
            rf"(?:can|could|would) you (?:please )?(?:connect|transfer|put) me (?:to|with|through to) (?:{_EN_PERSON})",
            r"(?:be|get) (?:connected|transferred|put through) (?:to|with) (?:a|an) (?:real |live |human )?"
            r"(?:human|person|agent|operator|representative)",
            r"(?:i (?:want|need|would like)|i'd like|give me|get me) (?:a|an) (?:real |live |actual )?"
            r"(?:human being|human|person|human agent|live agent|representative)",
            r"(?:a )?(?:real|live|actual) (?:human|person|human being)|(?:live|human) agent|a human",
            r"is there (?:a|a real|an actual) (?:human|person) (?:here|i can (?:talk|speak) to)",
            r"is there (?:someone|somebody|anyone|anybody) i can (?:talk|speak|chat) (?:to|with)",
        ),
        r"please|now|right now|instead|directly|here|thanks|thank you",
    ),
    _Wishes(
        r"hallo|hi|guten tag|ok|okay|nein|bitte|kann ich|könnte ich|darf ich|kann man|ich möchte|ich will|ich würde"
        r"|ich würde gern|ich würde gerne|ich muss|können wir|gern|gerne|lieber|direkt",
        (
            rf"mit (?:{_DE_PERSON}) (?:sprechen|reden|chatten|schreiben|verbunden werden)",
            rf"mit (?:{_DE_PERSON}) bitte",
            rf"(?:verbinden|verbinde) (?:sie )?mich (?:bitte )?mit (?:{_DE_PERSON})",
            rf"(?:können|könnten) sie mich (?:bitte )?mit (?:{_DE_PERSON}) verbinden",
            r"(?:ich (?:will|möchte|brauche) )(?:bitte )?einen (?:echten |richtigen )?(?:menschen|mitarbeiter)",
            r"(?:ein )?(?:echter|richtiger) mensch",
        ),
        r"bitte|jetzt|danke|sprechen",
    ),
    _Wishes(
        r"hola|buenas|buenos días|por favor|no|puedo|podría|quiero|quisiera|me gustaría|necesito|es posible|se puede"
        r"|deseo",
        (
            rf"(?:hablar|chatear|conversar|comunicarme) con (?:{_ES_PERSON})",
            rf"(?:páseme|pásame|conécteme|conéctame|comuníqueme|comunícame) con (?:{_ES_PERSON})",
            r"(?:quiero|necesito) (?:un humano|una persona real|un agente humano)",
            r"(?:una )?persona real|agente humano",
        ),
        r"por favor|ahora|gracias|directamente",
    ),
    _Wishes(
        r"bonjour|salut|non|svp|s'il vous plaît|puis je|est ce que je peux|est ce que je pourrais|je peux|pourrais je"
        r"|je voudrais|j'aimerais|je veux|je souhaite|je souhaiterais|je dois|est il possible de|peut on",
        (
            rf"(?:parler|discuter|échanger|chatter) (?:à|avec) (?:{_FR_PERSON})",
            rf"être mis(?:e)? en (?:relation|contact) avec (?:{_FR_PERSON})",
            rf"mettez moi en (?:relation|contact) avec (?:{_FR_PERSON})",
            r"je veux (?:un humain|une vraie personne)",
            r"(?:une )?vraie personne|un humain",
        ),
        r"svp|s'il vous plaît|s'il te plaît|maintenant|merci|directement",
    ),
    _Wishes(
        r"bună|bună ziua|salut|nu|vă rog|te rog|pot|pot să|aș putea|aș putea să|vreau|vreau să|aș vrea|aș vrea să"
        r"|doresc|doresc să|aș dori|aș dori să|se poate să|este posibil să",
        (
            rf"(?:să )?(?:vorbesc|vorbi|discut|discuta) (?:direct )?cu (?:{_RO_PERSON})",
            r"vreau (?:un om|un operator uman|o persoană reală)",
            r"operator uman|persoană reală",
        ),
        r"vă rog|te rog|acum|mulțumesc",
    ),
    _Wishes(
        r"привет|здравствуйте|добрый день|нет|пожалуйста|можно|можно мне|могу я|могу ли я|я хочу|хочу|мне нужно|нужно"
        r"|я хотел бы|я хотела бы|хотел бы|хотела бы|мне надо|дайте мне",
        (
            rf"(?:поговорить|пообщаться|говорить|связаться|переговорить) (?:с|со) (?:{_RU_PERSON})",
            rf"(?:соедините|свяжите)(?: меня)?(?: пожалуйста)? (?:с|со) (?:{_RU_PERSON})",
            r"(?:переключите|переведите)(?: меня)?(?: пожалуйста)? на (?:оператора|человека|сотрудника|специалиста)",
            r"позовите(?: пожалуйста)? (?:оператора|человека|сотрудника|живого человека)",
            r"(?:мне )?нужен (?:живой )?(?:оператор|человек)|живой (?:человек|оператор)",
        ),
        r"пожалуйста|сейчас|спасибо",
    ),
    _Wishes(
        r"γεια|γεια σας|όχι|παρακαλώ|μπορώ|θα μπορούσα|θα ήθελα|θέλω|γίνεται|πρέπει",
        (
            rf"(?:να )?(?:μιλήσω|συνομιλήσω) (?:με|σε) (?:{_EL_PERSON})",
            rf"συνδέστε με με (?:{_EL_PERSON})",
            r"(?:θέλω )?(?:έναν )?(?:πραγματικό|αληθινό) άνθρωπο",
        ),
        r"παρακαλώ|τώρα|ευχαριστώ",
    ),
    _Wishes(
        r"merhaba|selam|hayır|lütfen|ben",
        (
            rf"(?:{_TR_PERSON}) (?:konuşabilir miyim|görüşebilir miyim|konuşmak istiyorum|görüşmek istiyorum"
            r"|konuşmam lazım|görüşmem lazım|konuşmak isterim|görüşmek isterim)",
            r"(?:beni )?(?:bir )?(?:gerçek )?(?:temsilciye|insana|yetkiliye|müşteri temsilcisine|operatöre) "
            r"(?:bağlayın|bağlar mısınız|bağlanmak istiyorum|bağlanabilir miyim)",
        ),
        r"lütfen|şimdi|teşekkürler",
    ),
    _Wishes(
        r"مرحبا|السلام عليكم|لا|من فضلك|لو سمحت|هل يمكنني|هل يمكن|هل استطيع|اريد|اود|ارغب في|احتاج|احتاج الى|ممكن|ان",
        (
            rf"(?:التحدث|التكلم|اتحدث|اتكلم|الدردشة|التواصل|اتواصل) (?:مع|الى) (?:{_AR_PERSON})",
            r"(?:حولني|حولوني) (?:الى|على) (?:موظف|شخص|ممثل)(?: حقيقي| خدمة العملاء)?",
        ),
        r"من فضلك|لو سمحت|الان|شكرا",
    ),
    _Wishes(
        r"你好|您好|请|請|麻烦|麻煩|我|想|要|想要|需要|可以|能|能不能|可不可以|能否|帮我|幫我|给我|給我",
        (
            r"(?:转接|轉接|转|轉|接|找|联系|聯繫)(?:一下|到|个|個)?(?:人工|真人)(?:客服|服务|服務)?",
            rf"(?:和|跟|与|與)(?:{_ZH_PERSON})(?:聊聊|聊天|聊|说话|說話|谈谈|談談|谈|談|交谈|交談|沟通|溝通|对话|對話)",
            r"(?:人工|真人)(?:客服|服务|服務)",
        ),
        r"吗|嗎|吧|好吗|好嗎|谢谢|謝謝|一下",
        is_joined=True,
    ),
    _Wishes(
        r"xin chào|chào|không|vui lòng|làm ơn|xin|tôi có thể|tôi muốn|tôi cần|cho tôi|có thể|hãy cho tôi",
        (
            rf"(?:nói chuyện|trò chuyện|chat)(?: trực tiếp)? với (?:{_VI_PERSON})",
            r"(?:gặp|kết nối với|kết nối tôi với) (?:nhân viên(?: hỗ trợ| tư vấn)?|người thật|tư vấn viên)",
        ),
        r"được không|không|ạ|nhé|giúp tôi|ngay|cảm ơn",
    ),
    _Wishes(
        r"สวัสดี|ครับ|ค่ะ|ฉัน|ผม|ดิฉัน|ขอ|อยากจะ|อยาก|ต้องการ|สามารถ|ช่วย|กรุณา|ให้",
        (rf"(?:พูดคุย|คุย|พูด|ติดต่อ|แชท|สนทนา)กับ(?:{_TH_PERSON})",),
        r"ได้ไหม|ได้มั้ย|ได้หรือไม่|หน่อย|ครับ|ค่ะ|คะ|ตอนนี้",
        is_joined=True,
    ),
    _Wishes(
        r"नमस्ते|कृपया|क्या|मैं|मुझे|हमें|नहीं",
        (
            rf"(?:{_HI_PERSON}) (?:से|के साथ) (?:बात|बातचीत|चैट) (?:करनी है|करना है|करना चाहता हूँ|करना चाहती हूँ"
            r"|कर सकता हूँ|कर सकती हूँ|करनी थी|करवाइए|कराइए|करा दीजिए|करवा दीजिए)",
        ),
        r"कृपया|अभी|धन्यवाद|क्या",
    ),
)


@cache
def _patterns() -> tuple[tuple[_Wishes, re.Pattern[str]], ...]:
    return tuple((wishes, wishes.pattern()) for wishes in _WISHES)


def _folded(text: str) -> str:
    """Words without case, accents and marks, one blank between two."""
    return " ".join("".join(each if _is_of_word(each) else " " for each in _plain(text.casefold())).split())


def _plain(text: str) -> str:
    """Also done to the wishes themselves, so that marks that a language cannot do without are missing on both sides."""
    parted = unicodedata.normalize("NFKD", text.replace("\u2019", "'"))
    return "".join(each for each in parted if unicodedata.category(each) != "Mn")


def _is_of_word(character: str) -> bool:
    return character == "'" or unicodedata.category(character)[0] in "LNM"

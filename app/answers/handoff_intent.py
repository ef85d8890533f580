"""Whether a visitor wants to talk to a person, in the languages of our own words.

The whole last sentence must be such a wish, beside greetings and courtesy: a question that merely speaks of people
("What does the page on human resources say?") is a question for the agent.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from app.core.text.plain_words import plain_words, without_marks

_MAX_CHARS: Final = 500
_SENTENCES: Final = re.compile(r"[.!?;:\n\u037e\u061f\u3002\uff01\uff1f\u0964]+")


def asks_for_person(message: str) -> bool:
    """Whatever the language of the rest: such a sentence is too short to tell one by."""
    if len(message) > _MAX_CHARS:
        return False
    sentences = [words for part in _SENTENCES.split(message) if (words := plain_words(part))]
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
        return re.compile(
            without_marks(f"(?:(?:{self.before}){blank}){{0,5}}(?:{wishes})(?:{blank}(?:{self.after})){{0,3}}")
        )


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

_IT_PERSON: Final = (
    r"qualcuno|una persona(?: reale| vera)?|un (?:essere )?umano|un[ao']? ?(?:operatore|operatrice|addetto|consulente"
    r"|agente)(?: umano| umana| reale)?|il servizio clienti|l'assistenza(?: clienti)?"
)
_PT_PERSON: Final = (
    r"alguém|uma pessoa(?: real)?|um (?:ser )?humano|um[a]? (?:atendente|agente|operador|operadora|assistente"
    r"|funcionário|funcionária)(?: human[oa]| real)?|o (?:atendimento|apoio ao cliente)"
)
_NL_PERSON: Final = (
    r"iemand|een (?:echt )?(?:mens|persoon)|een (?:echte )?(?:medewerker|medewerkster|adviseur|collega)"
    r"|de klantenservice|een echt persoon"
)
_PL_PERSON: Final = (
    r"kimś|(?:żywym |prawdziwym )?(?:człowiekiem|konsultantem|pracownikiem|doradcą|operatorem)|prawdziwą osobą|osobą"
    r"|obsługą klienta"
)
_JA_PERSON: Final = r"(?:本物の|実際の)?(?:人間|人|担当者|担当の方|オペレーター|スタッフ|係の人|有人)"
_HE_PERSON: Final = r"מישהו|(?:נציג|נציגה)(?: אנושי| אנושית| שירות)?|בן אדם(?: אמיתי)?|אדם(?: אמיתי)?|שירות הלקוחות"
_FA_PERSON: Final = r"(?:یک )?(?:انسان|نفر|شخص|آدم|اپراتور|کارشناس|پشتیبان)(?: واقعی| انسانی)?|کسی|پشتیبانی"
_UR_PERSON: Final = r"(?:کسی |ایک )?(?:اصلی )?(?:انسان|شخص|آدمی|نمائندے|ایجنٹ|ملازم)|کسی"

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
    _Wishes(
        r"ciao|salve|buongiorno|no|per favore|posso|potrei|vorrei|voglio|mi piacerebbe|ho bisogno di|devo|è possibile"
        r"|si può",
        (
            rf"(?:parlare|chattare|comunicare) con (?:{_IT_PERSON})",
            rf"(?:mi passi|mi passa|passami|mi metta in contatto|mettimi in contatto) (?:con )?(?:{_IT_PERSON})",
            r"(?:voglio|vorrei) (?:un operatore umano|una persona vera|un essere umano)",
            r"(?:una )?persona (?:vera|reale)|operatore umano",
        ),
        r"per favore|per piacere|adesso|ora|grazie|direttamente",
    ),
    _Wishes(
        r"olá|oi|bom dia|boa tarde|não|por favor|posso|poderia|quero|queria|gostaria de|preciso de|preciso|é possível"
        r"|dá para",
        (
            rf"(?:falar|conversar) com (?:{_PT_PERSON})",
            rf"(?:me transfira|transfira me|me passe|passe me) para (?:{_PT_PERSON})",
            r"(?:quero|preciso de) (?:um humano|uma pessoa real|um atendente humano)",
            r"(?:uma )?pessoa real|atendente humano",
        ),
        r"por favor|agora|obrigado|obrigada|diretamente",
    ),
    _Wishes(
        r"hallo|hoi|goedendag|nee|alstublieft|alsjeblieft|kan ik|mag ik|zou ik|kunnen we|ik wil|ik wil graag"
        r"|ik zou graag|ik moet|graag|liever|even",
        (
            rf"met (?:{_NL_PERSON}) (?:spreken|praten|chatten|overleggen)",
            rf"(?:spreken|praten|chatten) met (?:{_NL_PERSON})",
            rf"(?:verbind me|verbindt u mij|kunt u mij|kun je me) (?:door )?met (?:{_NL_PERSON})(?: doorverbinden)?",
            r"(?:ik wil )?een (?:echt mens|echte medewerker)",
        ),
        r"alstublieft|alsjeblieft|nu|graag|bedankt|kan dat",
    ),
    _Wishes(
        r"cześć|dzień dobry|witam|nie|proszę|czy mogę|mogę|czy można|można|chcę|chciałbym|chciałabym|potrzebuję|muszę",
        (
            rf"(?:porozmawiać|rozmawiać|pogadać|czatować) z (?:{_PL_PERSON})",
            r"(?:połącz mnie|proszę mnie połączyć|proszę połączyć mnie|połączcie mnie) z "
            rf"(?:{_PL_PERSON})",
            r"(?:chcę|potrzebuję) (?:człowieka|konsultanta)|żywy człowiek|prawdziwy człowiek",
        ),
        r"proszę|teraz|dziękuję",
    ),
    _Wishes(
        r"こんにちは|すみません|はい|いいえ|では|あの",
        (
            rf"(?:{_JA_PERSON})(?:と|に|へ)(?:直接)?(?:話したい|話がしたい|話せますか|話せますでしょうか|話すことはできますか"
            r"|チャットしたい|相談したい|つないで|繋いで|代わって|つないでください|繋いでください|代わってください)",
            r"(?:有人|人間)(?:対応|サポート|のサポート|チャット)",
        ),
        r"です|のですが|んですが|ください|お願いします|お願いいたします|をお願いします|できますか|ますか",
        is_joined=True,
    ),
    _Wishes(
        r"שלום|היי|לא|בבקשה|אפשר|האם אפשר|אני רוצה|אני צריך|אני צריכה|אני מבקש|אני מבקשת|הייתי רוצה|ניתן",
        (
            rf"(?:לדבר|לשוחח|להתכתב) עם (?:{_HE_PERSON})",
            r"(?:העבירו|תעבירו|העבר|תעביר) אותי ל(?:נציג|נציגה|בן אדם|נציג אנושי)",
            r"נציג אנושי|בן אדם אמיתי",
        ),
        r"בבקשה|עכשיו|תודה|אפשר",
    ),
    _Wishes(
        r"سلام|نه|لطفا|آیا|می توانم|میتوانم|می خواهم|میخواهم|می شود|میشود",
        (
            rf"(?:می خواهم |میخواهم )?با (?:{_FA_PERSON}) (?:صحبت کنم|حرف بزنم|چت کنم|گفتگو کنم|صحبت کرد)",
            r"(?:مرا|من را) به (?:یک )?(?:اپراتور|انسان|کارشناس|پشتیبان) وصل کنید",
        ),
        r"لطفا|الان|ممنون",
    ),
    _Wishes(
        r"سلام|السلام علیکم|نہیں|براہ کرم|کیا|میں|مجھے|ہمیں",
        (
            rf"(?:{_UR_PERSON}) سے (?:بات|بات چیت|چیٹ) (?:کرنی ہے|کرنا ہے|کرنا چاہتا ہوں|کرنا چاہتی ہوں|کر سکتا ہوں"
            r"|کر سکتی ہوں|کروا دیں|کرا دیں)",
        ),
        r"براہ کرم|ابھی|شکریہ",
    ),
)


@cache
def _patterns() -> tuple[tuple[_Wishes, re.Pattern[str]], ...]:
    return tuple((wishes, wishes.pattern()) for wishes in _WISHES)

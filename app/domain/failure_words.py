"""How answers say that the sources do not hold them, in the languages that we speak ourselves.

Each pattern names the one who does not know (I, we, the sources, the page) or what is missing (information, answer,
details): "the app cannot find your lamp" is an answer.
"""

import re
import unicodedata

_LOOKED_AT_CHARS = 240  # an honest refusal says so at the start

_PATTERNS = (
    # English
    r"\b(?:i|we)\s+(?:could\s*n[o']t|can\s?not|can't|did\s*n[o']t|am\s+not\s+able\s+to|was\s+not\s+able\s+to|am\s+unable\s+to)\s+find",
    r"\b(?:do|does|did)(?:\s+not|n't)\s+(?:say|mention|contain|cover|include|provide|specify|know)",
    r"\b(?:do|does)(?:\s+not|n't)\s+have\s+(?:any\s+|that\s+|enough\s+)?(?:information|details)",
    r"\bno\s+(?:information|mention|details)\s+(?:about|on|of|regarding)",
    r"\b(?:is|are)(?:\s+not|n't)\s+(?:mentioned|covered|specified|stated)",
    r"\bi\s+(?:do\s+not|don't)\s+know\b",
    # Spanish
    r"\bno\s+(?:lo\s+)?sé\b",
    r"\bno\s+(?:(?:he\s+)?(?:encontrado|podido\s+encontrar|hallado)|encuentro|encontré|pude\s+encontrar)\b",
    r"\bno\s+(?:hay|tengo|dispongo\s+de|se\s+dispone\s+de|contienen?|proporcionan?|ofrecen?)\s+(?:\w+\s+){0,2}(?:información|datos|detalles)",
    r"\b(?:fuentes|páginas?|sitio|documentos?)\s+(?:\w+\s+){0,2}no\s+(?:lo\s+)?(?:mencionan?|dicen?|contienen?|indican?|especifican?)",
    # German
    r"\b(?:keine|nicht\s+genug|nicht\s+genügend)\s+(?:\w+\s+)?(?:informationen|angaben|antwort|hinweise|auskunft)\b",
    r"\bwei(?:ß|ss)\s+(?:ich\s+)?(?:\w+\s+)?nicht\b|\b(?:das|es)\s+wei(?:ß|ss)\s+ich\b.{0,20}\bnicht\b",
    r"\b(?:nichts?|leider\s+nicht)\s+(?:\w+\s+){0,2}(?:gefunden|finden)\b|\bnicht\s+gefunden\b",
    r"\b(?:quellen|seiten?|website|dokumente?|texte?)\s+(?:\w+\s+){0,4}(?:nicht|nichts|keine)\b.{0,30}\b(?:erwähnt|erwähnen|genannt|enthalten|sagen|sagt|angegeben)|\b(?:erwähnen|sagen|nennen|enthalten)\s+(?:die\s+)?(?:quellen|seiten)\s+(?:\w+\s+){0,3}nichts?\b|\bquellen\s+(?:sagen|erwähnen|enthalten|nennen)\s+(?:\w+\s+){0,4}(?:nichts?|keine)\b",
    # French
    r"\bje\s+ne\s+(?:le\s+)?(?:sais|trouve)\s+pas\b|\bje\s+n'ai\s+(?:pas|rien)\s+(?:pu\s+)?trouv",
    r"\b(?:aucune|pas\s+d'|pas\s+de\s+|pas\s+assez\s+d')\s?(?:information|informations|réponse|détails)\b|\bpas\s+trouvé\b",
    r"\b(?:sources|pages?|site|documents?)\s+ne\s+(?:le\s+)?(?:mentionn|dis|dit|contien|précis|indiqu)\w*",
    # Romanian
    r"\bnu\s+(?:știu|ştiu|stiu)\b|\bnu\s+(?:am\s+)?(?:putut\s+)?(?:găsit|găsesc|găsi|gasit|gasesc)\b|\bnu\s+am\s+putut\s+găsi\b",
    r"\bnu\s+(?:există|exista|am|dispun\s+de|conțin\w*|conţin\w*|oferă|includ\w*)\s+(?:\w+\s+){0,2}(?:informații|informaţii|informatii|detalii|date\s+despre)",
    r"\b(?:sursele|paginile|pagina|site-ul|documentele|textul)\s+(?:\w+\s+){0,2}nu\s+(?:mențione\w*|menţione\w*|mentione\w*|specific\w*|spun\w*|preciz\w*|conțin\w*)",
    # Russian
    r"\bя\s+(?:этого\s+)?не\s+(?:знаю|наш[её]л|нашла|могу\s+найти|смог(?:ла)?\s+найти|располагаю)|\bмне\s+не\s+удалось\s+найти|\bне\s+удалось\s+найти\s+(?:ответ|информаци)",
    r"\b(?:нет|не\s+наш[её]л|не\s+найдено|не\s+содерж\w+|отсутств\w+)\s+(?:\w+\s+){0,3}(?:информаци|сведени|данных\s+о|ответа)\w*|\bинформаци\w+\s+(?:\w+\s+){0,4}(?:нет|отсутствует|не\s+найден\w*)\b",
    r"\bв\s+(?:источник\w+|текст\w*|документ\w*)\s+(?:\w+\s+){0,2}не\s+(?:упомина\w+|сказано|указан\w*|говорится)|\b(?:источник\w*|страниц\w*)\s+не\s+(?:упомина\w+|содерж\w+|указыва\w+)|\bна\s+(?:этом\s+)?сайте\s+(?:\w+\s+){0,2}не\s+(?:упомина\w+|указан\w*|сказано)",
    # Greek
    r"\bδεν\s+(?:βρήκα|βρίσκω|μπόρεσα\s+να\s+βρω|μπορώ\s+να\s+βρω|γνωρίζω|ξέρω)\b",
    r"\bδεν\s+(?:υπάρχουν|υπάρχει|έχω|διαθέτω|περιέχουν|περιέχει|παρέχουν|βρέθηκαν|βρέθηκε)\s+(?:\w+\s+){0,3}(?:πληροφορί\w*|στοιχεία|λεπτομέρειες|απάντηση)",
    r"\b(?:πηγές|σελίδες|σελίδα|ιστότοπος|κείμενα)\s+δεν\s+(?:\w+\s+)?(?:αναφέρουν|αναφέρει|λένε|λέει|περιέχουν|διευκρινίζουν)|\bδεν\s+αναφέρεται\b",
    # Turkish
    r"\b(?:bulamadım|bulamıyorum|bilmiyorum|bilgim\s+yok|bulunamadı)\b",
    r"\b(?:bilgi|bilgiler|ayrıntı|yanıt|cevap)\s+(?:\w+\s+){0,2}(?:yok|bulunmuyor|bulunmamaktadır|bulamadım|yer\s+almıyor|içermiyor|mevcut\s+değil)\b",
    r"\b(?:kaynaklar\w*|sayfalar\w*|sitede|belgeler\w*)\s+(?:\w+\s+){0,4}(?:belirtilm\w+|bahsedilm\w+|bahsetm\w+|içermiyor|söylem\w+|geçmiyor|yer\s+almıyor)",
    # Arabic
    r"(?:لم\s+(?:أجد|أعثر|أتمكن\s+من\s+(?:العثور|إيجاد))|لا\s+(?:أجد|أعرف|أعلم|يمكنني\s+العثور|أستطيع\s+العثور)|لست\s+متأكدا)",
    r"(?:لا\s+(?:توجد|يوجد|تتوفر|تتوافر|أملك|تحتوي\s+\w+\s+على)|ليس(?:ت)?\s+(?:لدي|هناك))\s+(?:\w+\s+){0,2}(?:معلومات|تفاصيل|إجابة)",
    r"(?:لا\s+(?:تذكر|تشير|تتضمن|تحتوي|توضح)|لم\s+(?:تذكر|تتضمن|تشر|يذكر|يرد))\s+(?:\w+\s+){0,3}(?:المصادر|الصفحات|الصفحة|الموقع|ذلك|هذا)|(?:المصادر|الصفحات)\s+لا\s+(?:تذكر|تشير|تتضمن|تحتوي|توضح)",
    # Chinese
    r"(?:我|我们|抱歉[，,]?)?(?:没有|没能|无法|未能|未)(?:在[^。]{0,12})?(?:找到|查到|检索到)",
    r"(?:没有|无|未|并未|不)(?:包含|提供|提及|提到|说明|涉及|写明|给出|列出)[^。]{0,16}(?:信息|内容|答案|说明|细节|相关)|(?:资料|来源|页面|网站|文中)[^。]{0,8}(?:没有|未|并未)(?:提及|提到|说明|写明|包含|涉及|给出)",
    r"没有[^。]{0,10}(?:相关|有关|足够)[^。]{0,6}(?:信息|内容|资料)|我不(?:知道|清楚|了解|确定)",
    # Vietnamese
    r"\b(?:tôi|chúng\s+tôi)\s+(?:\w+\s+)?(?:không|chưa)\s+(?:thể\s+)?(?:tìm\s+(?:thấy|được|ra)|biết|rõ)",
    r"\b(?:không|chưa)\s+(?:có|tìm\s+thấy|chứa|cung\s+cấp|bao\s+gồm)\s+(?:\w+\s+){0,2}(?:thông\s+tin|câu\s+trả\s+lời|chi\s+tiết|dữ\s+liệu)",
    r"\b(?:nguồn|trang|trang\s+web|tài\s+liệu|nội\s+dung)\s+(?:\w+\s+){0,3}(?:không|chưa)\s+(?:được\s+)?(?:đề\s+cập|nói|nêu|nhắc|ghi)|\bkhông\s+được\s+(?:đề\s+cập|nhắc\s+đến|nêu)",
    # Thai
    r"(?:ฉัน|ผม|ดิฉัน|เรา|ขออภัย)\s*(?:ไม่พบ|หา\S{0,20}ไม่(?:เจอ|พบ)|ไม่สามารถหา|ไม่สามารถค้นหา\S{0,12}(?:ข้อมูล|คำตอบ)|ไม่ทราบ|ไม่รู้|ไม่มีข้อมูล)",
    r"(?:ไม่มี|ไม่พบ|ไม่ได้ให้|ไม่ได้ระบุ|ไม่มีการระบุ|ยังไม่มี)\s*(?:ข้อมูล|คำตอบ|รายละเอียด)",
    r"(?:แหล่งข้อมูล|แหล่งที่มา|หน้าเว็บ|เว็บไซต์|เอกสาร|หน้านี้)\S{0,20}\s*ไม่(?:ได้)?(?:กล่าวถึง|ระบุ|บอก|พูดถึง)",
    # Hindi
    r"(?:मुझे|हमें)\s+(?:\S+\s+){0,6}(?:नहीं\s+(?:मिल\S*|पता|मालूम)|पता\s+नहीं|ज्ञात\s+नहीं)|मैं\s+(?:\S+\s+){0,5}(?:नहीं\s+(?:जानता|जानती|ढूँढ|ढूंढ|खोज)|खोज\s+नहीं)",
    r"(?:जानकारी|उत्तर|विवरण|सूचना)\s+(?:\S+\s+){0,3}(?:नहीं\s+(?:है|हैं|मिल\S*|दी|दिया)|उपलब्ध\s+नहीं|मौजूद\s+नहीं)|कोई\s+(?:जानकारी|उत्तर|विवरण)\s+(?:\S+\s+){0,2}नहीं",
    r"(?:स्रोतों|स्रोत|पृष्ठों|पृष्ठ|वेबसाइट|पेज)\s+(?:\S+\s+){0,5}(?:उल्लेख|ज़िक्र|जिक्र|बताया|लिखा)\s+(?:गया\s+)?नहीं",
)
_FAILURE_WORDS = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE)


def has_failure_words(answer: str) -> bool:
    """Whether the answer itself says that the sources do not hold it, in whatever language."""
    head = unicodedata.normalize("NFC", answer[:_LOOKED_AT_CHARS]).replace("’", "'")
    return bool(_FAILURE_WORDS.search(head))

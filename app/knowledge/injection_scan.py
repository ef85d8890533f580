"""Detects signs that a page's text is written for the model that reads it, instead of for people.

No list of phrases is complete, and a page about such attacks shows the same signs, so findings are for an operator to
judge. Other measures keep a model's answer within bounds, and do not depend on them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

from app.core.text.letter_forms import in_small_letters, small_letters

_EXCERPT_CHARS: Final = 160
_MAX_CHARS: Final = 200_000  # of a page; the rest is not scanned


class FindingKind(StrEnum):
    INSTRUCTIONS = "instructions"
    FAKE_MESSAGES = "fake_messages"
    SMUGGLED_DATA = "smuggled_data"
    HIDDEN_INSTRUCTIONS = "hidden_instructions"


@dataclass(frozen=True, slots=True)
class Finding:
    """A sign in a page. `excerpt` is on one line."""

    kind: FindingKind
    excerpt: Annotated[str, "The text around the finding. It comes from the page, so display it only as plain text."]


IN_WORDS: Final = {
    FindingKind.INSTRUCTIONS: "Reads like instructions to an assistant",
    FindingKind.FAKE_MESSAGES: "Poses as messages of a system or of a conversation",
    FindingKind.SMUGGLED_DATA: "Asks for links or pictures that carry what visitors say",
    FindingKind.HIDDEN_INSTRUCTIONS: "Text that readers do not see reads like instructions",
}

# Words that a language may put in between: "ignore all of the previous ... instructions".
_GAP: Final = r"(?:[^\w.!?]{1,20}\w{1,40}){0,4}?[^\w.!?]{1,20}"
_FORGET: Final = "|".join(
    (
        rf"(?:ignore|disregard|forget|override|bypass){_GAP}(?:instruction|rule|prompt|guideline|direction|restriction)s?\b",
        rf"(?:ignorier|vergiss|vergesst|missachte)\w{{0,20}}{_GAP}(?:anweisung|regel|vorgabe|instruktion)\w*",
        rf"(?:oublie|ignore)[sz]?{_GAP}(?:consigne|instruction|règle)s?\b",
        rf"(?:ignora|olvida|dimentica|scorda)\w{{0,20}}{_GAP}(?:instruccion|istruzion|regla|regol)\w*",
        rf"(?:ignore|esqueça|esquece)\w{{0,20}}{_GAP}(?:instruções|regras)",
        rf"(?:negeer|vergeet){_GAP}(?:instructies|regels|opdrachten)",
        rf"(?:zignoruj|zapomnij|ignoruj){_GAP}(?:instrukcj|polece|zasad)\w*",
        rf"(?:забудь|игнорируй|проигнорируй)\w{{0,20}}{_GAP}(?:инструкци|указани|правил)\w*",
        rf"(?:önceki|tüm){_GAP}(?:talimat|kural)\w{{0,20}}{_GAP}(?:unut|yok say|görmezden)\w*",
        r"(?:忽略|无视|忘记)[^。\n]{0,12}(?:指令|指示|规则|提示)",
        r"(?:以前|これまで|上記)[^。\n]{0,8}(?:指示|命令)[^。\n]{0,6}(?:無視|忘れ)",
        rf"(?:تجاهل|انس){_GAP}(?:التعليمات|القواعد|الأوامر)",
        r"(?:पिछले|सभी)[^।\n]{0,20}(?:निर्देश|नियम)[^।\n]{0,12}(?:अनदेखा|भूल)",
    )
)
# All follow the beginning of a word, which is matched once for them together, because it is checked at each character.
_ADDRESSED_IN_WORDS: Final = "|".join(
    (
        r"(?:note|notice|message|instruction|correction|attention|important)s?\b[^.\n]{0,30}\b(?:to|for|from)\b[^.\n]{0,30}"
        r"\b(?:assistants?|ai|llms?|chat-?bots?|language models?|bots)\b",
        r"(?:if you are|as) an? (?:ai|llm|assistant|language model|chat-?bot)\b[^.\n]{0,20}[,:]",
        r"from now on,? you (?:are|will|must)\b|you are now (?:outside|in|an?|the|free)\b",
        r"(?:your|full|entire|whole|hidden|initial) (?:system )?prompt\b|your (?:previous |own )?instructions\b",
        r"(?:human|user)[ \t]*:[^\n]{0,200}\n?[^\n]{0,40}\bassistant[ \t]*:",
        r"answer (?:with:|slowly\b|with an? (?:picture|image|drawing|embedded)|with the markdown)",
        r"link the word\b|write '[^'\n]{0,40}\]\[",
        r"(?:print|reveal|repeat|output|encode|translate)\b[^.\n]{0,40}"
        r"\b(?:text above|words above|everything above|prompt)\b",
        r"(?:begin|start|end|finish|sign|prefix) (?:every|each|all|your)\b[^.\n]{0,20}"
        r"\b(?:answer|reply|replies|response)s?\b",
        r"(?:answer|reply|respond) (?:only|always|every \w+) with\b",
        r"always (?:answer|reply|respond|say) (?:that|with)\b",
        r"every (?:answer|reply|response) (?:must|should|has to|needs to)\b",
        r"the answer (?:to contain|must contain)\b",
        r"never (?:say|admit|mention) that you (?:can|are|do)\w*",
        r"(?:ask|tell) (?:each|every|all|the) (?:visitor|user|customer)s? (?:for|to)\b[^.\n]{0,60}"
        r"\b(?:card|password|pin|address|code|token|confirm)\b",
        r"repeat the word\b|decode (?:this )?and (?:follow|execute|run|obey)\b|cite this page as\b",
        r"(?:istruzioni ricevute|wiederhole deine anweisungen|tes instructions|tus instrucciones|twoje instrukcje)\b",
        r"(?:füge jeder antwort|beginne jede antwort|antworte (?:nur|ausschließlich))\b",
        r"(?:réponds uniquement|responde solo)\b",
        r"her (?:yanıt|cevap)\w*\b[^.\n]{0,40}\b(?:başla|içer|bit)\w*",
    )
)
_ADDRESSED: Final = (
    rf"\b(?:{_ADDRESSED_IN_WORDS})"
    r"|(?:^|[.!?:\n]\s{0,20})(?:dear |ai )?(?:assistants?|assistent|asistente|asystencie|chat-?bots?|llms?|ais?)"
    r"[ \t]*[,:][ \t]*\w"
)
_MESSAGES: Final = "|".join(
    (
        r"</?(?:source|system|assistant|user|instructions?|context)\b[^>\n]{0,60}>",
        r"\[(?:system|developer) ?(?:message|prompt|note)?[^\]\n]{0,30}\]",
        r"(?m:^[ \t#>*\\]{0,8}(?:system|assistant|developer)[ \t]*:[ \t]*\S)",
        r"\b(?:assistant|asystent|assistent)[ \t]*:[ \t]*(?:say|output|the|hasło|answer|reply|print)\b",
    )
)
_SMUGGLING: Final = "|".join(
    (
        r"!\[[^\]\n]{0,80}\]\([^)\n]{0,200}(?:=|/)(?:question|history|prompt|data|message|email|\{\w+\})",
        r"\]\([^)\n]{0,200}=(?:question|history|prompt|data|message|email)\b",
        r"\b(?:append|put|insert|replac\w+|summari[sz]e)\b[^.\n]{0,80}\b(?:visitor|user|conversation|talk|history|question)\b"
        r"[^.\n]{0,80}(?:https?://|\burl\b|\blink\b|\bpicture\b|\bimage\b)",
        r"\b(?:end|answer|finish|show|write|add)\b[^.\n]{0,60}\b(?:picture|image|badge|seal|logo)\b[^.\n]{0,20}"
        r"(?:!\[|<img|with a?n? ?(?:markdown )?(?:picture|image))",
    )
)
_FORGETTING: Final = small_letters(_FORGET)
_SIGNS: Final = (
    (FindingKind.INSTRUCTIONS, _FORGETTING),
    (FindingKind.INSTRUCTIONS, small_letters(_ADDRESSED)),
    (FindingKind.FAKE_MESSAGES, small_letters(_MESSAGES)),
    (FindingKind.SMUGGLED_DATA, small_letters(_SMUGGLING)),
)
# Tokens that no text for people contains, even one about them, except lists of such tokens.
_TOKENS: Final = re.compile(
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|end_header_id|eot_id)\|?>|\[/?INST\]|<</?SYS>>"
    r"|(?im:^[ \t]*human[ \t]*:[^\n]{0,200}$\s*^[ \t]*assistant[ \t]*:)"
)
# Phrases that are no attempt: the bare phrase in quotation marks, as on pages about such attacks, and a step of a guide
# for readers who have something ("Ignore the last instruction if you have version 2").
_OPENING: Final = frozenset("\"'\u2018\u201a\u201c\u201e\u00ab\u2039\u300c\u300e")
_CLOSING: Final = re.compile(r"[.!\u2026]?[\"'\u2018\u2019\u201c\u201d\u00bb\u203a\u300d\u300f](?!\w)")
_FOR_SOME: Final = re.compile(
    r",? (?:if|when|unless) you (?:already |still )?(?:have|use|own|run)\b"
    r"|,? (?:wenn|falls|sofern) (?:sie|du|ihr) [^\n.!?]{0,60}\b(?:haben|hast|habt|besitz\w+|nutz\w+|verwend\w+)\b",
    re.IGNORECASE,
)
_ALL: Final = re.compile(r"\b(?:all|any|every|alle[nrs]?|jede[nrs]?)\b", re.IGNORECASE)
_CODE: Final = re.compile(r"^(```|~~~).*?^\1|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def scan_page(title: str, markdown: str, hidden: str = "") -> list[Finding]:
    """At most one finding of each kind. Fenced and inline code is for showing such text and is skipped, except for the
    tokens that separate a model's messages."""
    shown = f"{title}\n{_CODE.sub(' ', markdown[:_MAX_CHARS])}"
    found = {finding.kind: finding for finding in reversed(list(_signs(shown)))}
    token = _TOKENS.search(markdown[:_MAX_CHARS])
    if token is not None:
        found.setdefault(FindingKind.FAKE_MESSAGES, Finding(FindingKind.FAKE_MESSAGES, _around(markdown, token)))
    unseen = next(_signs(hidden[:_MAX_CHARS], is_hidden=True), None)
    if unseen is not None:
        found[FindingKind.HIDDEN_INSTRUCTIONS] = Finding(FindingKind.HIDDEN_INSTRUCTIONS, unseen.excerpt)
    return sorted(found.values(), key=lambda finding: finding.kind)


def _signs(text: str, *, is_hidden: bool = False) -> Iterator[Finding]:
    """Find the signs in a text. Nothing excuses hidden text: people have no reason to hide a quotation or a guide."""
    small = in_small_letters(text)
    for kind, sign in _SIGNS:
        match = next(
            (found for found in sign.finditer(small) if is_hidden or sign is not _FORGETTING or _is_order(text, found)),
            None,
        )
        if match:
            yield Finding(kind, _around(text, match))


def _is_order(text: str, match: re.Match[str]) -> bool:
    is_quoted = text[max(0, match.start() - 1) : match.start()] in _OPENING and _CLOSING.match(text, match.end())
    is_for_some = not _ALL.search(match[0]) and _FOR_SOME.match(text, match.end())
    return not is_quoted and not is_for_some


def _around(text: str, match: re.Match[str]) -> str:
    start = max(0, match.start() - _EXCERPT_CHARS // 4)
    return " ".join(text[start : start + _EXCERPT_CHARS].split())

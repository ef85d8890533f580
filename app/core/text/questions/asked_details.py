"""Details that visitors ask for with words that pages need not use: a price, a telephone number, an address, opening
hours, a weight; and a default, which pages state apart from the thing that it belongs to."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from app.core.text.languages import LANGUAGES, language_table
from app.core.text.number_kinds import counts_in
from app.core.text.words import folded_words


@dataclass(frozen=True, slots=True)
class Detail:
    """`odds` is the bonus in log odds for a passage that contains the detail, `alone` the bonus if nothing else is
    asked. `called` has the terms of pages that contain it, in the languages of `asked`, for a keyword search."""

    asked: re.Pattern[str]
    told: re.Pattern[str]
    odds: float
    alone: float
    called: str = ""


# Those whose words for a price are known here: other lists of light words have them too.
_LANGUAGES: Final = ("en", "de", "es", "fr", "it")
_PHONE_NUMBER: Final = r"(?:\+\d|\b0\d|\(0)[\d ()/\-]{6,}\d|\b\d{3} \d{3} \d{3}\b"
_TIME: Final = r"\d{1,2}[:.h]\d\d(?: ?(?:uhr|h|a\.?m\.?|p\.?m\.?))?"
_CALLED_CONTACT: Final = "contact Kontakt contacto contatti contato phone telephone Telefon teléfono téléphone telefono"

PRICE: Final = Detail(
    re.compile(
        r"\b(?:costs?|prices?|how much|fees?|kosten|kostet|preise?|co[uû]te?|prix|cuestan?|precios?|costa|prezz[oi]"
        r"|preços?)\b",
        re.IGNORECASE,
    ),
    re.compile(r"[€$£¥₹]\s?\d|\d\s?(?:[€£¥₹]|EUR\b|USD\b|GBP\b|euros?\b|dollars?\b)"),
    0.0,
    0.0,
)
DEFAULT: Final = Detail(
    re.compile(r"\b(?:defaults?|maximum|minimum)\b", re.IGNORECASE),
    re.compile(r"(?s)\A(?=.*?\b(?:defaults?|maximum|minimum)\b)(?=.*?[\d`])", re.IGNORECASE),
    0.0,
    0.0,
)
_DETAILS: Final = (
    PRICE,
    Detail(
        re.compile(
            r"\b(?:(?:tele)?phone(?: number)?s?|telefon(?:isch|nummer)?|rufnummer|hotline|t[eé]l[eé](?:fono|phone)"
            r"|telefon[eo])\b",
            re.IGNORECASE,
        ),
        re.compile(_PHONE_NUMBER),
        1.0,
        3.0,
        _CALLED_CONTACT,
    ),
    Detail(
        re.compile(
            r"\b(?:(?:speak|talk) (?:to|with) (?:some(?:one|body)|you|a (?:real )?(?:person|human))"
            r"|(?:call|contact|reach|email) (?:you|support|(?:the|your) (?:support )?team)"
            r"|(?:mit )?jemande[nm] (?:sprechen|reden|anrufen)"
            r"|(?:euch|sie) (?:anrufen|kontaktieren|erreichen)|erreiche ich (?:euch|sie)"
            r"|hablar con (?:alguien|una persona)|llamaros|contactar(?:os)?"
            r"|parler à quelqu'un|vous (?:appeler|contacter)"
            r"|parlare con qualcuno|contattarvi)\b",
            re.IGNORECASE,
        ),
        re.compile(rf"{_PHONE_NUMBER}|\w@\w"),
        1.0,
        3.0,
        _CALLED_CONTACT,
    ),
    # Beside other words, these are as often the subject of a page.
    Detail(
        re.compile(
            r"\b(?:contact(?: (?:details|info(?:rmation)?|us))?|customer (?:service|support|care)|e-?mail(?: address)?"
            r"|kontakt(?:daten)?|kundenservice|kundendienst|e-?mail-?adresse|contacto|atenci[oó]n al cliente"
            r"|correo(?: electr[oó]nico)?|service client|contatti)\b",
            re.IGNORECASE,
        ),
        re.compile(rf"{_PHONE_NUMBER}|\w@\w"),
        0.0,
        3.0,
        _CALLED_CONTACT,
    ),
    Detail(
        re.compile(
            r"\b(?:where(?: are you|(?: i|'|’)?s (?:your|the) (?:shop|store|office|company)"
            r"| are your (?:shop|store|office)s)|located|(?<!mail )(?<!ip )address"
            r"|wo (?:seid ihr|sind sie|ist (?:der|euer|ihr) (?:laden|shop|geschäft))|adresse|anschrift|standort"
            r"|d[oó]nde (?:est[aá]is|qued[aá]is?|est[aá] la tienda)|direcci[oó]n|o[uù] (?:êtes|se trouve)"
            r"|indirizzo|dove (?:siete|si trova))\b",
            re.IGNORECASE,
        ),
        re.compile(r"\b(?:\d{4,5}(?: [A-Z]{2})? +[A-ZÀ-Þ]\w{2,}|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b)"),
        1.0,
        3.0,
        f"{_CALLED_CONTACT} address Adresse Anschrift dirección adresse indirizzo",
    ),
    Detail(
        re.compile(
            r"\b(?:open|opens|opening|hours|closed|öffnungszeiten|geöffnet|offen|öffnet|horarios?|abr[eií]s|abren?"
            r"|abiert[oa]s?|cerrad[oa]s?|ouvert\w*|horaires?|orari[oa]?|apert[oi])\b",
            re.IGNORECASE,
        ),
        re.compile(rf"{_TIME}\s?(?:[\u2013\u2014-]|to|bis|und|a|à)\s?\d{{1,2}}\b", re.IGNORECASE),
        0.7,
        3.0,
    ),
    Detail(
        re.compile(r"\b(?:heavy|weighs?|weight|schwer|wiegt|gewicht|pesan?|peso|pèse|poids)\b", re.IGNORECASE),
        re.compile(r"\d\s?(?:kg|g|lbs?|oz)\b"),
        0.5,
        0.5,
    ),
)


@lru_cache(maxsize=16)  # an answer checks many passages against one question
def asked_details(question: str) -> tuple[Detail, ...]:
    return tuple(each for each in _DETAILS if each.asked.search(question))


@lru_cache(maxsize=16)
def without_details(question: str) -> str:
    """The question without its words for the details; "" if no significant word is left."""
    for each in asked_details(question):
        question = each.asked.sub(" ", question)
    return "" if _light_words().issuperset(folded_words(question)) else " ".join(question.split())


def is_told_alone(question: str, text: str) -> bool:
    """Whether the question asks only for contact details, as in "where are you?", and the text has all of them."""
    asked = asked_details(question)
    return (
        bool(asked)
        and all(each.alone > each.odds and each.told.search(text) for each in asked)
        and not without_details(question)
    )


def is_completed(question: str, text: str) -> bool:
    """Whether nothing in the question names a subject, or a detail such as a price, and the text counts in every unit
    that it asks for, as for "why?" and "how many years is it?". Only what was said before can tell whether the text
    answers it."""
    named = [word for word in folded_words(question) if word not in _empty_words()]
    return not asked_details(question) and all(counts_in(word, text) for word in named)


@lru_cache(maxsize=16)
def own_subject(question: str, language: str | None) -> str:
    """The words of a follow-up that name something, without those for details: "battery" of "does it have a battery?",
    and "" for "how much does it cost?" and in a language whose words for details are unknown here."""
    return "" if language and language not in _LANGUAGES else _own_words(question)


def _own_words(question: str) -> str:
    for each in asked_details(question):
        question = each.asked.sub(" ", question)
    return " ".join(word for word in folded_words(question) if word not in _empty_words())


def lacks_detail(question: str, text: str) -> bool:
    """Whether the question asks only for details of what was spoken of before, such as the price of "it", and the text
    has none of them."""
    asked = asked_details(question)
    return bool(asked) and not _own_words(question) and not any(each.told.search(text) for each in asked)


@cache
def _empty_words() -> frozenset[str]:
    return _words_of(_LANGUAGES, ("light", "joins", "points"))


@cache
def _light_words() -> frozenset[str]:
    """Insignificant words of all languages: what is left of such a question is too short to detect its language."""
    return _words_of(LANGUAGES, ("light", "joins"))


def _words_of(languages: Iterable[str], keys: Iterable[str]) -> frozenset[str]:
    listed = [language_table(language)["follow_up"].get(key, ()) for language in languages for key in keys]
    return frozenset(word for phrases in listed for phrase in phrases for word in folded_words(phrase))

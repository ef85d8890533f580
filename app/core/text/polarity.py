"""Whether a text denies something, by its words."""

import re
from typing import Final

_DENIED: Final = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|neither|nor|cannot|without|nicht|kein\w*|nie|niemals"
    r"|ohne|pas|jamais|aucune?|sans|nunca|sin|ningun\w*|non|mai|senza)\b|n['’]t\b",
    re.IGNORECASE,
)
_NO_DENIAL: Final = re.compile(
    r"\b(?:no|not)\s(?:more|less|later|fewer|earlier|longer|older|younger|only|just|even|over|above)\b(?!\s(?:available|possible))",
    re.IGNORECASE,
)
# Words that deny without "not": "Wi-Fi only", "wrong", "refused".
_LIMITED: Final = re.compile(
    r"\b(?:only|unless|except\w*|exclu\w+|others?|otherwise|instead|waive\w*|(?:switched|turned|been) off|closed|shut"
    r"|refus\w+|reject\w*|forbid\w*|forbad\w*|prohibit\w*|barred|banned|blocked|locked|expir\w+|lapses?|lapsed|stays?"
    r"|remains?|unchanged|loses?|lost|stops?|stopped|fail\w*|missing|missed|lacks?|lacking|prevents?|avoids?|den(?:y|ie)\w*"
    r"|declin\w*|wrong\w*|hardly|rarely|seldom|invisible|hidden|optional|voluntary|final|bound|mandatory|compulsory"
    r"|un(?!i|der|til)\w{3,}|disab\w+|disallow\w*|impossible|incorrect\w*|invalid\w*|inactive|zero|[a-z]+-only"
    r"|[a-z]{3,}-free)\b",
    re.IGNORECASE,
)
_FREE: Final = re.compile(r"\bfree\b|(?<![\d.,])[€$£]?0(?![\d.,])", re.IGNORECASE)
_PAYING: Final = re.compile(
    r"\b(?:pay|pays|paid|cost|costs|charge|charges|charged|fees?|price|money|anything)\b", re.IGNORECASE
)
_CONDITION: Final = re.compile(r"^\W*(?:if|whether|when|while|since|because|as)\b|\bas long as\b", re.IGNORECASE)
_EXCEPTION: Final = re.compile(r"\b(?:unless|until|except|without|than|only|even|over|above)\b", re.IGNORECASE)


def denies(text: str) -> bool:
    """Whether it says "not", in one of some languages. "No more than 40" is a number, and denies nothing."""
    return bool(_DENIED.search(_NO_DENIAL.sub(" ", text)))


def limits(text: str) -> bool:
    """Whether the text denies something in other words than "not", or limits it."""
    return bool(_LIMITED.search(text))


def is_free(text: str) -> bool:
    return bool(_FREE.search(text))


def speaks_of_paying(text: str) -> bool:
    return bool(_PAYING.search(text))


def is_condition(clause: str) -> bool:
    return bool(_CONDITION.search(clause))


def has_exception(text: str) -> bool:
    """Whether what is denied may be allowed otherwise, as in "not without a key"."""
    return bool(_EXCEPTION.search(text))


# Words that say the contrary of each other, where two texts are about the same.
_CONTRARIES: Final = tuple(
    (re.compile(rf"\b(?:{one})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for one, other in (
        (r"(?:switched|turned|comes?|is|are) on|enabled|active by default", r"(?:switched|turned|is|are) off|disabled"),
        (
            r"tak(?:e|es|ing) (?:\w+ ){0,3}out|remov(?:e|es|ing)|without",
            r"leav(?:e|es|ing) (?:\w+ ){0,3}(?:in|inside)|inside|keep (?:\w+ ){0,3}in",
        ),
        (r"monthly|(?:per|each|every|a) month", r"yearly|annual(?:ly)?|(?:per|each|every|a) year"),
        (r"includ(?:es?|ed|ing)|covers?|covered", r"exclud(?:es?|ed|ing)|not (?:included|covered)"),
        (r"always|every time", r"never|at no time"),
        (r"at least|minimum|no less than", r"at most|maximum|no more than"),
        (r"above|over|more than|warmer than", r"below|under|less than|colder than"),
        (r"required|mandatory|must", r"optional|voluntary|need not"),
        (r"increas(?:es?|ed|ing)|rais(?:es?|ed|ing)", r"decreas(?:es?|ed|ing)|reduc(?:es?|ed|ing)|lower(?:s|ed)?"),
        (r"public", r"private"),
        (r"automatic(?:ally)?", r"manual(?:ly)?|by hand"),
        (r"accepts?|accepted", r"refus(?:es?|ed)|rejects?|rejected|declined"),
        (r"refunded|refundable|get (?:\w+ ){0,3}back", r"non-refundable|no refund|not refunded|runs? out"),
    )
)
_EVERY: Final = re.compile(r"\b(?:every|all|any|always|everywhere|anytime|at any time|regardless)\b", re.IGNORECASE)
_NARROWED: Final = re.compile(r"\b(?:only|while|unless|except|refus\w+|limited to|restricted)\b", re.IGNORECASE)
_ONLY_BY: Final = re.compile(r"\bonly (?:at|by|through|via|with|from|for)\b", re.IGNORECASE)


_NOT_THERE: Final = (
    r"(?:\b(?:no|not|never|cannot)|n['’]t)\b[^.;,]{0,40}\b(?:ship|deliver|send|sell|available|offer|support|serve|operate"
    r"|accept|store|shop|office)\w*\b[^.;,]{0,20}\b(?:to|in|into|for|from)\s(?:the\s)?"
)


def is_denied_there(name: str, text: str) -> bool:
    """Whether the text denies that something is done or to be had in the place of that name."""
    return bool(re.search(rf"{_NOT_THERE}{re.escape(name)}\b", text, re.IGNORECASE))


def is_contrary(said: str, told: str) -> bool:
    """Whether one has a word and the other, equally denied or not, the word for its contrary."""
    if denies(said) != denies(told):
        return False
    return any(
        (one.search(said) and not other.search(said) and other.search(told) and not one.search(told))
        or (other.search(said) and not one.search(said) and one.search(told) and not other.search(told))
        for one, other in _CONTRARIES
    )


def is_too_wide(said: str, told: str) -> bool:
    """Whether it says of all what the other limits: "on every plan", where it is told "while on Pro"."""
    return bool(
        _EVERY.search(said) and not _EVERY.search(told) and not _NARROWED.search(said) and _NARROWED.search(told)
    )


def is_too_narrow(said: str, told: str) -> bool:
    """Whether it says "only at" where the other limits nothing."""
    return bool(_ONLY_BY.search(said) and not limits(told) and not denies(told))

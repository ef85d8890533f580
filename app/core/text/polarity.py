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

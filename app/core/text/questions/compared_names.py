"""The names that a question compares: "How does the Plus plan differ from Pro?"."""

import re
from typing import Final

_COMPARES: Final = re.compile(
    r"\b(?:differ(?:s|ence|ences|ent)?|compar\w+|versus|vs|unterschied\w*|vergleich\w*|diferencias?|différences?)\b",
    re.IGNORECASE,
)
_NAME: Final = r"([^;:?!()\n]{1,60}?)"
_END: Final = r"(?=\s+(?:in|when|for|as|on|with|bei|für|pour|para|per)\b|\s*(?:[?!.,;:(]|\Z))"
_COMPARISONS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\b(?:differences?|différences?|unterschiede?s?|diferencias?|diferenças?|differenz[ae]|verschil(?:len)?)\s{1,3}"
        rf"(?:between|zwischen|entre|tra|fra|tussen)\s{{1,3}}{_NAME}\s{{1,3}}(?:and|und|et|y|e|en)\s{{1,3}}{_NAME}{_END}",
        rf"\A\s{{0,3}}{_NAME}\s{{1,3}}(?:versus|vs\.?)\s{{1,3}}{_NAME}{_END}",
        rf"\A\s{{0,3}}compare\s{{1,3}}{_NAME}\s{{1,3}}(?:and|with|to)\s{{1,3}}{_NAME}{_END}",
        rf"\bhow\s{{1,3}}(?:do|does|is|are)\s{{1,3}}{_NAME}\s{{1,3}}differ(?:ent)?\s{{1,3}}from\s{{1,3}}{_NAME}{_END}",
        rf"\bhow\s{{1,3}}do\s{{1,3}}{_NAME}\s{{1,3}}and\s{{1,3}}{_NAME}\s{{1,3}}differ\b",
    )
)
_ARTICLE: Final = re.compile(
    r"\A(?:an?|the|d(?:er|ie|as|em|en)|l[aeo]s?|l'|el|il|gli|os?|het|de)\s{1,3}|\A[\"'«„“`]|[\"'»“”`]\Z", re.IGNORECASE
)


def asks_difference(question: str) -> bool:
    """Whether the question compares, even without names."""
    return _COMPARES.search(question) is not None


def compared_names(question: str) -> list[str]:
    """Two or more names, as the question writes them, without articles; empty if it asks for no difference."""
    for comparison in _COMPARISONS:
        if found := comparison.search(question):
            names = [*found[1].split(","), found[2]]
            return [name for each in names if (name := _ARTICLE.sub("", each.strip()).strip())]
    return []

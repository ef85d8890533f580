"""The language of a page as a BCP 47 primary subtag: the declared one, else detected from the text."""

import re
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier
from selectolax.lexbor import LexborHTMLParser

_SUBTAG = re.compile(r"^\s*([a-z]{2,3})(?:[-_][A-Za-z0-9_.-]*)?\s*(?:,.*)?$", re.IGNORECASE)
_NO_LANGUAGE = frozenset({"und", "zxx", "mul", "mis", "xx"})
_MIN_LETTERS = 60
_MAX_CHARS = 3000
_MIN_CONFIDENCE = 0.9


def declared_language(tree: LexborHTMLParser) -> str | None:
    """From html lang, og:locale or Content-Language, in this order."""
    root = tree.root
    said = [(root.attributes.get("lang") or root.attributes.get("xml:lang")) if root is not None else None]
    for selector in (
        'meta[property="og:locale" i]',
        'meta[http-equiv="content-language" i]',
        'meta[name="language" i]',
    ):
        node = tree.css_first(selector)
        said.append(node.attributes.get("content") if node is not None else None)
    return next((subtag for value in said if (subtag := primary_subtag(value)) is not None), None)


def primary_subtag(tag: str | None) -> str | None:
    """ "en" of "en-GB"; None for text that is no language tag."""
    found = _SUBTAG.match(tag or "")
    subtag = found[1].lower() if found else None
    return None if subtag in _NO_LANGUAGE else subtag


def detected_language(text: str) -> str | None:
    """From the text itself, if there is enough of it to be sure."""
    sample = re.sub(r"```.*?```|`[^`]*`|https?://\S+", " ", text[: 2 * _MAX_CHARS], flags=re.DOTALL)[:_MAX_CHARS]
    if sum(sign.isalpha() for sign in sample) < _MIN_LETTERS:
        return None
    return _classify(sample)


def _classify(sample: str) -> str | None:
    language, confidence = _identifier().classify(sample)
    return str(language) if float(confidence) >= _MIN_CONFIDENCE else None


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

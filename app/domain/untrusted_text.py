"""Text from pages, visitors and models: what must not pass from it into a prompt or onto a screen."""

import re
import unicodedata

_ROLE_MARKS = re.compile(
    r"\[/?(?:INST|SYS)\]|\[/?(?:AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]"
    r"|(?im:^[ \t]*(?:#{2,}[ \t]*)?(?:system|assistant|user|human|developer|tool)[ \t]*:)"
)
_KEPT_CONTROLS = frozenset("\n\t")
_JOINERS = frozenset("\u200c\u200d")


def without_controls(text: str) -> str:
    """Drop what draws nothing but may steer: control characters (line feed and tab stay), bidirectional marks,
    zero-width characters, tag characters, lone surrogates. Joiners stay between letters, where Persian, the Indic
    scripts and emoji spell with them."""
    if text.isascii() and text.isprintable():
        return text
    kept: list[str] = []
    for position, character in enumerate(text):
        if character in _KEPT_CONTROLS:
            kept.append(character)
        elif character in _JOINERS:
            if 0 < position < len(text) - 1 and not text[position - 1].isascii():
                kept.append(character)
        elif unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn"}:
            kept.append(character)
    return "".join(kept)


def as_prompt_text(text: str) -> str:
    """The text as data inside a prompt: angle brackets and ampersands escaped, so that it can neither close its
    block nor spell a provider's role token; bracketed role tokens and "System:" at the start of a line are broken
    up."""
    clean = without_controls(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _ROLE_MARKS.sub(lambda mark: _broken(mark.group()), clean)


def _broken(mark: str) -> str:
    if mark.startswith("["):
        return mark.replace("[", "(").replace("]", ")")
    return mark.replace(":", " -")


def as_attribute(text: str) -> str:
    """The same for a value between double quotes, on one line."""
    return as_prompt_text(" ".join(text.split())).replace('"', "&quot;")

"""Removes characters that a reader cannot see, except those that spell words.

Zero-width characters, Unicode tags, bidi controls, fillers and chains of variation selectors can carry messages that
models read but people do not see. Joiners stay where spelling needs them: one ZWJ or ZWNJ after a letter of a script
that uses them (Arabic and Persian, the Indic family, Khmer, Mongolian) and one ZWJ between two emoji.
"""

import re

_ZWNJ, _ZWJ = "\u200c", "\u200d"

# Arabic, Syriac, N'Ko; Indic, Sinhala; Tibetan, Myanmar; Khmer; Mongolian; the rest of the Brahmic family
_JOINING = (
    "\u0600-\u06ff\u0700-\u08ff\ufb50-\ufdff\ufe70-\ufefc"
    "\u0900-\u0dff\u0f00-\u109f\u1780-\u17ff\u1800-\u18af\u1900-\u1cff"
    "\ua800-\ua8ff\ua900-\uaaff\uabc0-\uabff\U00010a00-\U00010aff\U00010d00-\U00011fff\U0001e900-\U0001e95f"
)
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_INVISIBLE = (
    "\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f"
)
_SUSPECT = re.compile(f"[{_INVISIBLE}]")
_KEPT = re.compile(
    f"(?P<joiner>(?<=[{_JOINING}])[{_ZWNJ}{_ZWJ}])"
    f"|(?P<emoji>(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}]))"
    f"|(?P<style>(?<=[{_EMOJI}0-9#*])[\ufe0e\ufe0f])"
    f"|(?P<variant>(?<=[{_IDEOGRAPHS}])[\ufe00-\ufe02\U000e0100-\U000e01ef])"
    f"|(?P<mongolian>(?<=[\u1820-\u18aa])[\u180b-\u180d\u180e\u180f])"
    f"|(?P<other>[{_INVISIBLE}])"
)


def without_invisible(text: str) -> str:
    """`text` without invisible characters; C0 and C1 controls are removed too, except tab and newline."""
    if not _SUSPECT.search(text):
        return text
    return _KEPT.sub(lambda found: "" if found.lastgroup == "other" else found.group(), text)


def visible_line(text: str) -> str:
    """The visible text on one line. A vertical tab is a line break within a paragraph of Office."""
    return " ".join(without_invisible(text.replace("\v", " ")).split())

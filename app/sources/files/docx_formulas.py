"""Formulas of DOCX files (OMML) on one line: (a + b)/(2) and x^(2)."""

from typing import Final
from xml.etree.ElementTree import Element

_MATH: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
FORMULAS: Final = frozenset({f"{_MATH}oMath", f"{_MATH}oMathPara"})
_MOST_LEVELS: Final = 50
_WITH_ENDS: Final = frozenset({"sSup", "sSub", "sSubSup", "nary", "limLow"})
_PLAIN: Final = 1  # character, which takes no brackets


def formula_text(node: Element, level: int = 0) -> str:
    """The text of a formula or of a part of one."""
    kind = node.tag.removeprefix(_MATH)
    if kind == "t" or level > _MOST_LEVELS:
        return node.text or ""
    told = [(child.tag.removeprefix(_MATH), formula_text(child, level + 1)) for child in node]
    parts = dict(told)
    if kind == "f":
        return f"{_bracketed(parts.get('num', ''))}/{_bracketed(parts.get('den', ''))}"
    if kind == "rad":
        return f"√{_bracketed(parts.get('e', ''))}"
    if kind == "d":
        return f"{_sign(node, 'begChr', '(')}{parts.get('e', '')}{_sign(node, 'endChr', ')')}"
    if kind == "func":
        return f"{parts.get('fName', '')} {parts.get('e', '')}"
    if kind in _WITH_ENDS:
        below, above = parts.get("sub") or parts.get("lim", ""), parts.get("sup", "")
        ends = "".join(f"{sign}{_bracketed(text)}" for sign, text in (("_", below), ("^", above)) if text)
        inner = parts.get("e", "")
        return f"{_sign(node, 'chr', '∫')}{ends} {inner}" if kind == "nary" else f"{inner}{ends}"
    return "".join(text for _, text in told)


def _sign(node: Element, name: str, usual: str) -> str:
    found = node.find(f"./*/{_MATH}{name}")
    return usual if found is None else found.get(f"{_MATH}val", usual)


def _bracketed(text: str) -> str:
    return text if len(text) <= _PLAIN or text.isdecimal() else f"({text})"

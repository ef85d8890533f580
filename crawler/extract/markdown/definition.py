"""Recognises definitions (terms with descriptions) and the signatures of functions."""

import re
from collections.abc import Iterable, Iterator
from itertools import dropwhile

from selectolax.lexbor import LexborNode

from crawler.extract.html_tree import elements_before, elements_behind
from crawler.extract.markdown.inline import inline_markdown, plain_text

_MAX_TERM_CHARS = 120
_MAX_HANGING_CHARS = 240  # for several names with one description
_MAX_HANGING_WORDS = 10
_LIST_SIGN = re.compile(r"[o*+\u2013\u2014\u2022\u00b7\u25e6\u25cf-]|\(?\d{1,3}[.)]")
_SENTENCE_ENDS = (".", ":", "!", "?")
_MARGIN = re.compile(r"margin-left:\s*+(\d{1,3})(?:\.\d++)?+%")
_NEW_SENTENCE = re.compile(r"[^\S\n]*+\n[^\S\n]*+\n\s*+[A-Z]")


def is_named_term(node: LexborNode, text: str) -> bool:
    """Whether a node is a short line that begins in bold and is a link target, like the terms of references without
    lists."""
    if len(text) > _MAX_TERM_CHARS or text.endswith(_SENTENCE_ENDS) or not text:
        return False
    return "`" not in text and _begins_in_bold(node)


def _begins_in_bold(node: LexborNode) -> bool:
    first = next((part for part in node.iter(include_text=True) if part.text().strip()), None)
    return first is not None and first.tag in {"b", "strong"} and _is_target(node)


def named_term(block: LexborNode) -> str:
    """The term if a `<div>` is a line as in `is_named_term`, or the first part of an item in a list by DocBook whose
    parts have titles ("Option:", "Default:", "Description:"); else ""."""
    title = block.css_first(".segtitle") if block.attributes.get("class") == "seg" else None
    if title is not None and not any(before.tag == "div" for before in elements_before(block)):
        name = inline_markdown(block.iter(include_text=True)).removeprefix(plain_text(title)).strip()
        return name if len(name) <= _MAX_TERM_CHARS and "\n" not in name else ""
    if not _begins_in_bold(block):  # checked first, because the text of most blocks is long
        return ""
    text = plain_text(block)
    return text if is_named_term(block, text) else ""


def _is_target(node: LexborNode) -> bool:
    return "id" in node.attributes or node.css_first("a[name],[id]") is not None


def item_marker(sign: str) -> str:
    """The Markdown marker for an item's bullet or number; "" for any other text."""
    if not _LIST_SIGN.fullmatch(sign):
        return ""
    number = re.sub(r"\D", "", sign)
    return f"{number}. " if number else "- "


def item_number(value: str | None, default: int) -> int:
    """The number in an attribute that starts a list or an item, else `default`."""
    digits = (value or "").strip()
    return int(digits) if re.fullmatch(r"-?\d{1,6}", digits, re.ASCII) else default


def is_hanging_term(paragraph: LexborNode, text: str) -> bool:
    """Whether a paragraph is the term of a description that is only indented below it: by a margin, as in groff's
    pages, or by a list without terms, as in man2html's."""
    if len(text) > _MAX_HANGING_CHARS or not 0 < len(text.split()) <= _MAX_HANGING_WORDS:
        return False
    if "\n" in text or text.endswith(_SENTENCE_ENDS):
        return False
    return _hangs_over(paragraph, next(elements_behind(paragraph), None))


def hanging_sign(paragraph: LexborNode) -> str:
    """The Markdown marker of a paragraph that is only a list sign above its indented item; "" for any other."""
    marker = item_marker(paragraph.text().strip()) if paragraph.tag == "p" else ""
    return marker if marker and _hangs_over(paragraph, next(elements_behind(paragraph), None)) else ""


def sign_above(paragraph: LexborNode) -> str:
    """The Markdown marker of the list sign above this paragraph; "" if there is none."""
    above = next(elements_before(paragraph), None)
    return hanging_sign(above) if above is not None else ""


def _hangs_over(paragraph: LexborNode, below: LexborNode | None) -> bool:
    if below is None or below.tag not in {"dl", "p"}:
        return False
    if below.tag == "dl":
        return not any(part.text().strip() for part in below.iter() if part.tag == "dt")
    return "margin" in (paragraph.attributes.get("style") or "") and _margin(paragraph) < _margin(below)


def _margin(paragraph: LexborNode) -> int:
    """The left margin in percent."""
    found = _MARGIN.search(paragraph.attributes.get("style") or "")
    return int(found[1]) if found else 0


def from_term(nodes: Iterable[LexborNode]) -> list[LexborNode]:
    """The nodes of a paragraph from the bold term at its beginning, if a blank line in the source separates it from the
    next sentence, as man2html separates the lines of manual pages; else []."""
    filled = list(dropwhile(lambda node: node.is_text_node and not (node.text_content or "").strip(), nodes))
    if len(filled) < 2 or filled[0].tag not in {"b", "strong"} or len(filled[0].text()) > _MAX_TERM_CHARS:
        return []
    return filled if filled[1].is_text_node and _NEW_SENTENCE.match(filled[1].text_content or "") else []


def definition_parts(node: LexborNode) -> Iterator[LexborNode]:
    """The terms and descriptions of a <dl>, also if each pair is in a <div>."""
    for child in node.iter():
        if child.tag == "div":
            yield from (part for part in child.iter() if part.tag in {"dt", "dd"})
        else:
            yield child


def is_short(part: LexborNode) -> bool:
    """Whether a term or description fits into a list item."""
    if part.tag == "dt":
        return part.css_first("h1,h2,h3,h4,h5,h6") is None and not holds_blocks(part)
    return (
        part.tag == "dd"
        and part.css_first("ul,ol,dl,pre,table,h1,h2,h3,h4,h5,h6,blockquote,p + p") is None
        and len(part.text()) < 400
    )


def holds_blocks(term: LexborNode) -> bool:
    """Whether a term has more than a line: long code, or blocks after an unclosed <dt>."""
    return term.css_first("pre,dl,ul,ol,table") is not None


def are_options(terms: Iterable[str]) -> bool:
    return all(term.lstrip("`").startswith(("-", "+", "/")) for term in terms)


def is_signature(part: LexborNode) -> bool:
    """Whether a term is the signature of a function, as written by Sphinx and Texinfo, or consists of code."""
    if part.tag != "dt":
        return False
    code = part.css_first("pre")
    if code is not None and len(text := code.text().strip()) <= _MAX_HANGING_CHARS and text == part.text().strip():
        return True
    if {"sig", "descname"} & set((part.attributes.get("class") or "").split()):
        return True
    return part.css_first(".category,.category-def,.def-name") is not None


def signature(part: LexborNode) -> str:
    """The text of a signature, without links to the source."""
    return plain_text(part).removesuffix("[source]").strip(" :")

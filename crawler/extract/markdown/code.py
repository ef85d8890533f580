"""Code blocks: the text of a <pre> with its line breaks, fenced, with its language if the page names one."""

import re
from collections.abc import Iterable
from itertools import pairwise
from textwrap import dedent

from selectolax.lexbor import LexborNode

from crawler.extract.html_tree import class_names, elements_before
from crawler.extract.invisible_text import without_invisible
from crawler.extract.markdown.inline import CODE_TAGS, plain_lines

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight|brush:|sourceCode)[- ]?([a-z][a-z0-9+#_.-]*)"
)
_NO_LANGUAGE = frozenset(
    {"none", "text", "plain", "plaintext", "default", "notranslate", "highlight", "source", "code", "output"}
)
# Language names that are classes of their own: <pre class="rust rust-example-rendered">
_NAMES = """
bash sh shell console c cpp csharp css diff go haskell html http ini java javascript js json kotlin lua make perl php
python ruby rust scala sql swift toml ts typescript xml yaml
"""
_KNOWN = frozenset(_NAMES.split())
_CODE_CLASSES = frozenset(
    {
        "programlisting",
        "screen",
        "literallayout",
        "highlight",
        "code",
        "sourcecode",
        "terminal",
        "console",
        "output",
        "log",
    }
)
_SYNOPSIS = "cmdsynopsis"
_FENCE = re.compile(r"^[^\S\n]*+(`{3,})", re.MULTILINE)
_MAX_DEPTH = 60
_LEAST_LINES = 3  # fewer lines may be a name or a command that is only wrapped in the source


def fenced_code(text: str, language: str = "") -> str:
    """Lines of code as fenced Markdown, with a fence that is longer than any in the code."""
    ticks = "`" * max([3, *(len(run) + 1 for run in _FENCE.findall(text))])
    return f"{ticks}{language}\n{text}\n{ticks}"


def is_code(pre: LexborNode) -> bool:
    """Whether the page marks a <pre> as code: by a language, a <code> in it, or the usual class names."""
    if code_language(pre) or pre.css_first("code,kbd,samp") is not None:
        return True
    around = [pre] if pre.parent is None else [pre, pre.parent]
    return any(_CODE_CLASSES & set(class_names(node)) for node in around)


def typed_line(paragraph: LexborNode) -> str:
    """The command of a paragraph that only has a command to type, by its class or by the line that introduces it; else
    "". Other code may be a term or a message with its description below."""
    code = paragraph.css_first("code,kbd,tt")
    text = " ".join(paragraph.text().split())
    if code is None or text != " ".join(code.text().split()):
        return ""
    before = next(elements_before(paragraph), None)
    is_announced = before is not None and before.tag == "p" and before.text().rstrip().endswith(":")
    return text if is_announced or paragraph.css_first(".userinput") is not None else ""


def lines_of_code(nodes: Iterable[LexborNode]) -> str:
    """The text of nodes that are only code with several lines, which pages without a <pre> keep by a style or by line
    breaks; else ""."""
    filled = [node for node in nodes if not node.is_text_node or (node.text_content or "").strip()]
    if len(filled) != 1 or filled[0].tag not in CODE_TAGS:
        return ""
    text = code_text(filled[0])
    return text if text.count("\n") + 1 >= _LEAST_LINES else ""


def is_synopsis(node: LexborNode | None) -> bool:
    """Whether the node is DocBook's synopsis of a command, in which each part is marked up."""
    return node is not None and node.tag == "div" and _SYNOPSIS in (node.attributes.get("class") or "").split()


def synopsis_text(first: LexborNode) -> str:
    """The lines of this synopsis and of those directly below it; "" if it is directly below another one."""
    if is_synopsis(next(elements_before(first), None)):
        return ""
    lines: list[str] = []
    node: LexborNode | None = first
    while node is not None and (node.is_text_node or is_synopsis(node)):
        lines += plain_lines(node) if node.is_element_node else []
        node = node.next
    return "\n".join(filter(None, lines))


def code_text(pre: LexborNode) -> str:
    """The lines of `pre`, without blank lines at either end, trailing blanks and common indentation."""
    pieces: list[str] = []
    _collect(pre, pieces, 0)
    text = without_invisible("".join(pieces)).replace("\u00a0", " ")
    lines = [line.rstrip() for line in re.split(r"[\n\v\f\x85\u2028\u2029]", text)]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    if pre.css_first("br") is not None and not any(first and second for first, second in pairwise(lines)):
        lines = [line for line in lines if line]  # each line ends both in a <br> and in a line end
    return dedent("\n".join(lines))


def _collect(node: LexborNode, pieces: list[str], depth: int) -> None:
    for child in node.iter(include_text=True):
        if child.is_text_node:
            pieces.append(child.text_content or "")
        elif child.tag == "br":
            pieces.append("\n")
        elif depth > _MAX_DEPTH:
            pieces.append(child.text())
        else:
            is_line = child.tag in {"div", "p", "li", "tr"}
            if is_line and pieces and not _ends_line(pieces):
                pieces.append("\n")
            _collect(child, pieces, depth + 1)
            if is_line and child.next is not None and not _ends_line(pieces):
                pieces.append("\n")


def _ends_line(pieces: list[str]) -> bool:
    return any(piece.endswith("\n") for piece in pieces[-1:])


def code_language(pre: LexborNode) -> str:
    """The language that the page names for a code block, in lower case; "" if none."""
    nodes: list[LexborNode | None] = [pre.css_first("code"), pre, pre.parent]
    nodes.append(pre.parent.parent if pre.parent is not None else None)
    for node in nodes:
        if node is None:
            continue
        attributes = node.attributes
        named = attributes.get("data-lang") or attributes.get("data-language")
        found = _LANGUAGE.search((attributes.get("class") or "").lower())
        alone = _KNOWN.intersection(class_names(node))
        language = (named or (found[1] if found else "") or "".join(sorted(alone)[:1])).lower()
        if re.fullmatch(r"[a-z][a-z0-9+#_.-]{0,20}", language) and language not in _NO_LANGUAGE:
            return {"python3": "python", "default": ""}.get(language, language)
    return ""

"""Writes MathML formulas on one line, because their plain text would run fractions, powers and indexes together."""

from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

_LAID_OUT: Final = "mfrac,msup,msub,msubsup,msqrt,mroot,munder,mover,munderover"
_MOST: Final = 2000


def write_formulas(tree: LexborHTMLParser) -> None:
    """Write fractions as "1/2", powers as "x^2", indexes as "x_i" and roots as "√x", in place."""
    for node in reversed(tree.css(_LAID_OUT)[:_MOST]):  # the inner ones first
        parts = [text for child in node.iter() if (text := "".join(child.text().split()))]
        if len(parts) == len(list(node.iter())):
            written = tree.create_node("mtext")
            written.insert_child(_written(node, parts))
            node.replace_with(written)


def _written(node: LexborNode, parts: list[str]) -> str:
    first, *others = map(_grouped, parts)
    match node.tag, others:
        case "mfrac", [below]:
            is_mixed = node.prev is not None and node.prev.tag == "mn"  # one and a half
            return f"{' ' if is_mixed else ''}{first}/{below}"
        case (("msup" | "mover"), [raised]):
            return f"{first}^{raised}"
        case (("msub" | "munder"), [lowered]):
            return f"{first}_{lowered}"
        case (("msubsup" | "munderover"), [lowered, raised]):
            return f"{first}_{lowered}^{raised}"
        case "mroot", [degree]:
            return f"root {degree} of {first}"
        case "msqrt", _:
            return f"√{_grouped(''.join(parts))}"
        case _:
            return " ".join(parts)


def _grouped(text: str) -> str:
    return text if text.isalnum() else f"({text})"

"""Variants within a sentence of which a script shows one, such as the reader's key in "press Cmd+C". A page hides all
of them until the script runs; without them, "press +C" would be left."""

from collections.abc import Iterator, Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode

_INLINE = frozenset({"a", "b", "code", "em", "i", "kbd", "samp", "span", "strong", "var"})
_MAX_CHARS = 40  # of a variant, such as the path of a menu
_MAX_NODES = 12  # within a variant


def show_inline_variants(tree: LexborHTMLParser, hidden: Mapping[int, LexborNode]) -> set[int]:
    """Put a slash between the variants, in place; return those of `hidden` that are to stay. Variants are two or more,
    the only content of their element, beside other words of the line."""
    shown: set[int] = set()
    for variants in _variants(tree, hidden):
        slash = " / " if any(" " in text for text in variants) else "/"
        for variant in list(variants.values())[1:]:
            variant.insert_before(slash)
        shown |= {each.mem_id for each in variants.values()}
    return shown


def _variants(tree: LexborHTMLParser, hidden: Mapping[int, LexborNode]) -> Iterator[dict[str, LexborNode]]:
    """The variants by text; repeated ones are left out."""
    met: set[int] = set()
    for first in tree.css("[hidden]"):
        around = first.parent
        if around is None or around.mem_id in met:
            continue
        met.add(around.mem_id)
        if around.tag not in _INLINE or not (_is_word(around.prev) or _is_word(around.next)):
            continue
        variants: dict[str, LexborNode] = {}
        for node in around.iter(include_text=True):
            if node.is_text_node and not node.text().strip():
                continue
            text = _short_text(node) if node.mem_id in hidden else ""
            if not text:
                variants.clear()
                break
            variants.setdefault(text, node)
        if len(variants) > 1:
            yield variants


def _is_word(node: LexborNode | None) -> bool:
    return node is not None and bool(node.text().strip() if node.is_text_node else node.tag in _INLINE)


def _short_text(node: LexborNode) -> str:
    """The text of an element with only inline elements; "" if it is long or anything else."""
    text, waiting = "", [node]
    for _ in range(_MAX_NODES):
        if not waiting:
            break
        each = waiting.pop()
        if each.is_text_node:
            text += each.text()
        elif each.tag in _INLINE:
            waiting += reversed(list(each.iter(include_text=True)))
        else:
            return ""
    said = " ".join(text.split())
    return said if not waiting and len(said) <= _MAX_CHARS else ""

"""Cards side by side, each with a name and a price, such as the plans on a pricing page. If the names are plain lines,
they become headings, because the text of a card is about its name alone."""

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

_PRICE: Final = re.compile(r"[€$£¥₹]\s?\d|\d\s?(?:[€£¥₹]|EUR\b|USD\b|GBP\b|CHF\b)")
_LEVELS: Final = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_NO_PLAIN_CARD: Final = "h1,h2,h3,h4,h5,h6,table"
_BADGE: Final = re.compile(r"badge|ribbon|popular|recommend|label|tag|flag|highlight")
_CALL: Final = re.compile(r"(?:^|[\s_-])(?:btn|button|cta)")
_MOST_CARDS: Final = 12
_CARD_CHARS: Final = (10, 2000)
_LONGEST_NAME: Final = 40


def name_cards(tree: LexborHTMLParser, main: LexborNode) -> None:
    """Turn the names of such cards in `main` into headings, one level below the last heading before them."""
    if not _PRICE.search(main.text()):
        return
    named: list[tuple[LexborNode, LexborNode, int]] = []
    within: set[int] = set()
    level = 1
    for node in main.traverse():
        if node.parent is not None and node.parent.mem_id in within:
            within.add(node.mem_id)
        elif node.tag in _LEVELS:
            level = _LEVELS[node.tag]
        elif node.tag in {"div", "ul", "section"} and (names := _named_cards(node)):
            within.add(node.mem_id)
            named += [(card, name, min(6, level + 1)) for card, name in zip(node.iter(), names, strict=True)]
    for card, name, level in named:
        _write_heading(tree, card, name, level)


def _named_cards(node: LexborNode) -> list[LexborNode]:
    """The element with the name of each card; [] if these are no cards."""
    cards = list(node.iter())
    if not 2 <= len(cards) <= _MOST_CARDS or len({card.tag for card in cards}) > 1:
        return []
    names = [_name(card) for card in cards]
    told = [found for found in names if found is not None]
    is_each = len(told) == len(cards) and len({found.text().strip() for found in told}) == len(cards)
    return told if is_each else []


def _name(card: LexborNode) -> LexborNode | None:
    text = " ".join(card.text().split())
    if not _CARD_CHARS[0] <= len(text) <= _CARD_CHARS[1] or card.css_first(_NO_PLAIN_CARD) is not None:
        return None
    first = next((line for line in _lines(card) if not _is_badge(line)), None)
    if first is None or not _PRICE.search(text):
        return None
    name = " ".join(first.text().split())
    return first if len(name) <= _LONGEST_NAME and not any(map(str.isdigit, name)) else None


def _lines(card: LexborNode) -> Iterator[LexborNode]:
    """The innermost elements with text, in order."""
    for node in card.traverse():
        if (
            node.mem_id != card.mem_id
            and node.text().strip()
            and not any(child.text().strip() for child in node.iter())
        ):
            yield node


def _is_badge(node: LexborNode) -> bool:
    return _BADGE.search((node.attributes.get("class") or "").lower()) is not None


def _write_heading(tree: LexborHTMLParser, card: LexborNode, name: LexborNode, level: int) -> None:
    """Put it first in its card: text before the name, such as "Most popular", is about it."""
    heading = tree.create_node(f"h{level}")
    heading.insert_child(" ".join(name.text().split()))
    name.decompose()
    for link in card.css("a"):
        if _CALL.search((link.attributes.get("class") or "").lower()):
            link.decompose()
    if card.first_child is not None:
        card.first_child.insert_before(heading)
    else:
        card.insert_child(heading)

"""Buttons that lead somewhere become links: a script that opens an address, or a form that has nothing to fill in."""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

_OPENS: Final = re.compile(
    r"\s*(?:return\s+)?(?:(?:window|document|self|top|parent)\.)?"
    r"(?:location(?:\.href)?\s*=|location\.(?:assign|replace)\(|open\()\s*(?P<quote>['\"])(?P<url>[^'\"\s<>]+)(?P=quote)"
)
_BY_SCRIPT: Final = "button[onclick],input[type=button i][onclick],[role=button][onclick]"
_TO_FILL_IN: Final = "input:not([type=submit i]),select,textarea"
_SUBMITS: Final = "button:not([type=button i]):not([type=reset i]),input[type=submit i]"
_MOST: Final = 200


def write_button_links(tree: LexborHTMLParser) -> None:
    for button in tree.css(_BY_SCRIPT)[:_MOST]:
        if button.tag != "a" and (found := _OPENS.match(button.attributes.get("onclick") or "")):
            _write_link(tree, button, button, found["url"])
    for form in tree.css("form[action]")[:_MOST]:
        buttons = form.css(_SUBMITS)
        is_get = (form.attributes.get("method") or "get").lower() == "get"
        if is_get and len(buttons) == 1 and form.css_first(_TO_FILL_IN) is None:
            _write_link(tree, form, buttons[0], form.attributes.get("action") or "")


def _write_link(tree: LexborHTMLParser, place: LexborNode, button: LexborNode, url: str) -> None:
    label = " ".join((button.text() or button.attributes.get("value") or "").split())
    if not label or not url:
        return
    link = tree.create_node("a")
    link.attrs["href"] = url
    link.insert_child(label)
    place.replace_with(link)

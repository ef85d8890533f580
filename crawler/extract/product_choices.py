"""Writes the variants of a product, such as sizes and colours, from form controls into text."""

from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.markdown.inline import plain_text

_MOST_CHOICES: Final = 30  # longer lists are countries, quantities or days
_LONGEST_CHOICE: Final = 40  # characters
_MOST_CONTROLS: Final = 20
_MAX_FIELDSET_CHARS: Final = 1000


def write_choices(tree: LexborHTMLParser) -> None:
    """Write the choices of each list after its label; call it before controls are removed."""
    for control in tree.css("select")[:_MOST_CONTROLS]:
        label = _label(tree, control)
        offered = [" ".join(option.text().split()) for option in control.css("option") if _is_offered(option)]
        if label is not None and 2 <= len(offered) <= _MOST_CHOICES and max(map(len, offered)) <= _LONGEST_CHOICE:
            label.insert_child(f": {', '.join(offered)}")


def choices_line(fieldset: LexborNode) -> str:
    """The choices of a fieldset on one line: "Colour: Slate, Moss". "" if it has other content."""
    legend, labels = fieldset.css_first("legend"), [plain_text(label) for label in fieldset.css("label")]
    if legend is None or len(labels) < 2 or len(fieldset.text()) > _MAX_FIELDSET_CHARS:
        return ""
    named = plain_text(legend)
    rest = "".join(plain_text(fieldset).split()).removeprefix("".join(named.split()))
    is_all = rest == "".join("".join(label.split()) for label in labels)
    return f"{named.rstrip(':')}: {', '.join(labels)}" if named and is_all else ""


def _label(tree: LexborHTMLParser, control: LexborNode) -> LexborNode | None:
    name = control.attributes.get("id")
    labels = (label for label in tree.css("label[for]") if name and label.attributes.get("for") == name)
    return next((label for label in labels if label.text().strip()), None)


def _is_offered(option: LexborNode) -> bool:
    """Whether the option is a choice. A first option without a value only asks the reader to choose."""
    is_empty = option.attributes.get("value", option.text()) == ""
    return not is_empty and "disabled" not in option.attributes

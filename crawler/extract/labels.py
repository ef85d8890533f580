"""Places the labels of tabs and code blocks. In plain text, each panel follows its label, which becomes a <summary> and
so a line of its own."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.hidden.opened_panels import tab_panels
from crawler.extract.html_tree import ancestors, class_names, elements_before, elements_behind
from crawler.extract.markdown.code import code_language
from crawler.extract.markdown.inline import plain_text

_MAX_LABEL_CHARS = 100
_MAX_FRAME_CHARS = 200  # of all text around the code of a block
_FRAME_DEPTH = 4
_CODE_FRAME = re.compile(r"highlight|code|lang|listing|snippet|prism|shiki|frame")


def place_labels(tree: LexborHTMLParser) -> None:
    """Put each tab's label before its panel and mark titles of code, in place. Call it on a tree without hidden text,
    and before the frame is removed, because lists of tabs count as frame."""
    if tree.body is None:
        return
    panels: dict[int, tuple[LexborNode, LexborNode]] = {}
    for label, panel in [*tab_panels(tree.body), *_labelled_panels(tree.body)]:
        panels.setdefault(panel.mem_id, (label, panel))
    texts = {key: plain_text(label)[:_MAX_LABEL_CHARS] for key, (label, _) in panels.items()}
    for key, (label, panel) in panels.items():
        if texts[key]:
            panel.insert_before(_summary(tree, ": ".join([*_labels_around(panel, texts), texts[key]])))
        if label.tag == "label":
            label.decompose()
    met: set[int] = set()
    for pre in tree.body.css("pre"):
        _mark_code_title(tree, pre, met)


def _labels_around(panel: LexborNode, texts: dict[int, str]) -> list[str]:
    """The labels of the panels around this one, outermost first: "Installer" within "Windows" needs both."""
    return [label for above in ancestors(panel) if (label := texts.get(above.mem_id))][::-1]


def _summary(tree: LexborHTMLParser, text: str) -> LexborNode:
    node = tree.create_node("summary")
    node.insert_child(text)
    return node


def _labelled_panels(body: LexborNode) -> Iterator[tuple[LexborNode, LexborNode]]:
    """(label, panel) of tabs without scripts, in which the <label> of a radio button shows a panel through the style
    sheet. The labels are together before an element with the panels, or each is directly before its own."""
    boxes = {label.parent.mem_id: label.parent for label in body.css("label[for]") if label.parent is not None}
    for box in boxes.values():
        children = [child for child in box.iter() if child.is_element_node]
        labels = [child for child in children if child.tag == "label"]
        behind_box = next(elements_behind(box), None)
        panels = [] if behind_box is None else [child for child in behind_box.iter() if child.is_element_node]
        if len(labels) > 1 and len(labels) == len(children) == len(panels):
            yield from zip(labels, panels, strict=True)
        elif len(labels) > 1 and "tab" in (box.attributes.get("class") or "").lower():
            behind = [next(elements_behind(label), None) for label in labels]
            if all(panel is not None and panel.tag == "div" for panel in behind):
                yield from ((label, panel) for label, panel in zip(labels, behind, strict=True) if panel is not None)


def _mark_code_title(tree: LexborHTMLParser, pre: LexborNode, met: set[int]) -> None:
    """Turn the name of a file above its code into a line of its own, and remove the name of the language, which the
    fence already has and which would separate code from its introduction. Elements in `met` frame other code too."""
    own = len(pre.text().strip())
    inner: LexborNode = pre
    for _ in range(_FRAME_DEPTH):
        frame = inner.parent
        if frame is None or frame.mem_id in met or frame.tag not in {"div", "figure"}:
            return
        met.add(frame.mem_id)
        beside = len(frame.text().strip()) - own
        if beside > _MAX_FRAME_CHARS or (beside > 0 and not _is_code_frame(frame)) or len(frame.css("pre")) > 1:
            return
        for before in list(elements_before(inner)):
            _mark_title(tree, before, code_language(pre))
        inner = frame


def _is_code_frame(node: LexborNode) -> bool:
    if node.tag == "figure":
        return True
    return node.tag == "div" and _CODE_FRAME.search((node.attributes.get("class") or "").lower()) is not None


def _mark_title(tree: LexborHTMLParser, node: LexborNode, language: str) -> None:
    is_title = node.tag == "figcaption" or (node.tag in {"span", "div"} and bool(node.attributes.get("class")))
    if not is_title or node.css_first("p,pre,code,button,ul,table,h1,h2,h3,h4,h5,h6") is not None:
        return
    text = plain_text(node)
    if not text or len(text) > _MAX_LABEL_CHARS:
        return
    names = class_names(node)
    if text.lower() == language or "lang" in names or "language" in names:
        node.decompose()
    else:
        node.replace_with(_summary(tree, text))

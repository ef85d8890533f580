"""Removes the text that readers of a page cannot see.

Pages that others can write to may contain hidden text for machines: in `display:none` blocks, white on white, off the
screen, in comments. Visible text is always kept, whatever it says. Only the page's own styles are considered (style
attributes, <style>, presentational attributes); external sheets are not read.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.hidden.css_visibility import (
    Rgb,
    background_colour,
    hides_element,
    hides_text,
    is_same_colour,
    text_colour,
)
from crawler.extract.hidden.opened_panels import opened_panels
from crawler.extract.hidden.page_styles import PageStyles
from crawler.extract.html_tree import ancestors, elements_before, elements_behind, letters, text_length

# Inline variants are alternatives of which a script shows one, such as the reader's key in "press Cmd+C". All of them
# are hidden until the script runs; without them, the text would be "press +C".
_INLINE = frozenset({"a", "b", "code", "em", "i", "kbd", "samp", "span", "strong", "var"})
_MAX_CHARS = 40  # of a variant, such as the path of a menu
_MAX_NODES = 12  # of a variant


def show_inline_variants(tree: LexborHTMLParser, hidden: Mapping[int, LexborNode]) -> set[int]:
    """Put slashes between inline variants, in place; return the ids of those in `hidden`, which must stay. There are
    two or more variants, the only content of their element, beside other words of the line."""
    shown: set[int] = set()
    for variants in _variants(tree, hidden):
        slash = " / " if any(" " in text for text in variants) else "/"
        for variant in list(variants.values())[1:]:
            variant.insert_before(slash)
        shown |= {each.mem_id for each in variants.values()}
    return shown


def _variants(tree: LexborHTMLParser, hidden: Mapping[int, LexborNode]) -> Iterator[dict[str, LexborNode]]:
    """Yield the variants of each element by their text, without repeated ones."""
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
    """The text of a short element with only inline content; "" for any other element."""
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
    words = " ".join(text.split())
    return words if not waiting and len(words) <= _MAX_CHARS else ""


# Elements that never show text: scripts, the data of controls, fallbacks for features that browsers support.
_NEVER_SHOWN = (
    "script,style,noscript,template,dialog:not([open]),datalist,object,iframe,embed,video,audio,canvas,noembed,noframes,"
    "svg,rp,rt,rtc,select,textarea,map,body title,annotation,annotation-xml,input,[popover]"
)
_HIDDEN_CLASSES = (
    ".sr-only,.visually-hidden,.visuallyhidden,.screen-reader-text,.screen-reader-only,.screenreader-only,"
    ".element-invisible,.u-visually-hidden,.a11y-hidden,.cdk-visually-hidden,.assistive-text,"
    ".show-for-sr,.sr-text,.offscreen,.off-screen,.hidden-visually"
)
# Classes that hide elements in common sheets, which are not read.
_HIDDEN_BY_SHEET = ".hidden,.d-none,.is-hidden,.u-hidden,.invisible,.display-none,.uk-hidden,code .boring,.ttc"
_SHOWN_BY_CLASS = re.compile(
    r":(?:block|flex|grid|inline|table|contents|visible)|\bd-\w+-(?:block|flex|grid|inline|table)"
)
_TAG = re.compile(r"<[^<>]*>")
_CODE = frozenset({"script", "style", "svg", "object", "embed", "canvas", "map", "math", "annotation"})
MAX_HIDDEN_CHARS = 20_000
_ENTRANCES = ("data-w-id", "data-framer-appear", "data-aos", "data-sal")  # of scripts that fade their elements in
_LATE = frozenset({"div", "section", "main", "article", "noscript", "center", "form"})
_NEARLY_ALL = 0.8
_WHITE: Rgb = (255, 255, 255)


def remove_hidden(tree: LexborHTMLParser, styles: PageStyles) -> str:
    """Remove, in place, every element, comment and text of `tree` that its own markup hides from the reader; return
    their text, except for code, up to MAX_HIDDEN_CHARS."""
    if tree.body is None:
        return ""
    hidden = {node.mem_id: node for node in tree.body.css(f"{_NEVER_SHOWN},{_HIDDEN_CLASSES}")}
    if styles.has_external_sheets:
        hidden |= {node.mem_id: node for node in tree.body.css(_HIDDEN_BY_SHEET) if not _is_shown_by_class(node)}
    for node in tree.body.css("[hidden]:not([hidden=until-found i])"):
        if styles.declarations(node).get("display", "none") == "none":
            hidden[node.mem_id] = node
    for node in tree.body.css('[aria-hidden="true" i]'):
        if node.tag == "body" or node.css_first("main,article,h1,[role=main]") is not None:
            continue
        spoken = _spoken_twin(node, hidden)
        if spoken is None:
            hidden[node.mem_id] = node
        elif _signs(spoken) == _signs(node):  # the same text in one piece, such as "$30.00" for "30" and "00"
            hidden[node.mem_id] = node
            del hidden[spoken.mem_id]
    hiding = styles.whose(hides_element)
    for node in styles.declaring():
        if node.mem_id not in hiding or node.tag in {"html", "body"}:
            continue
        style = styles.declarations(node)
        if any(name.startswith(_ENTRANCES) for name in node.attributes):
            style = {name: value for name, value in style.items() if name != "opacity"}
        if hides_element(style):
            hidden[node.mem_id] = node
    for shown in _shown_at_a_click(tree, hidden, styles) | show_inline_variants(tree, hidden):
        del hidden[shown]
    late = {key: node for key, node in hidden.items() if node.css_first("h1,main") is not None and node.tag in _LATE}
    texts = _detach({key: node for key, node in hidden.items() if key not in late})
    texts += _detach({key: node for key, node in late.items() if not _holds_the_page(node, tree.body)})
    texts += _remove_unreadable_text(tree, styles)
    comments = [node for node in tree.root.traverse(include_text=True) if node.is_comment_node] if tree.root else []
    for comment in comments:
        texts.append(comment.comment_content or "")
        comment.decompose()
    return "\n".join(filter(None, texts))[:MAX_HIDDEN_CHARS]


def _holds_the_page(node: LexborNode, body: LexborNode) -> bool:
    """Whether nearly all text of the page is in the node. A script will then show it once the page has loaded."""
    if node.tag not in {"html", "body"} and node.css_first("h1,main") is None:
        return False
    return text_length(node) >= _NEARLY_ALL * text_length(body)


def _spoken_twin(node: LexborNode, hidden: Collection[int]) -> LexborNode | None:
    """The hidden element beside the node that repeats its text for screen readers, perhaps with more words: "Current
    price is: $30.00"."""
    signs = _signs(node)
    beside = (*islice(elements_before(node), 1), *islice(elements_behind(node), 1)) if signs else ()
    return next((each for each in beside if each.mem_id in hidden and signs in _signs(each)), None)


def _signs(node: LexborNode) -> str:
    return letters(node.text())


def _is_shown_by_class(node: LexborNode) -> bool:
    """Whether another class shows the node on large screens: `hidden md:block`, `d-none d-lg-flex`."""
    return bool(_SHOWN_BY_CLASS.search(node.attributes.get("class") or ""))


def _shown_at_a_click(tree: LexborHTMLParser, hidden: Mapping[int, LexborNode], styles: PageStyles) -> set[int]:
    """The ids of the hidden panels that readers can open: a control is visible, or in a panel that they can open."""
    closed = {panel: controls for panel, controls in opened_panels(tree).items() if panel in hidden}
    shown: set[int] = set()
    while True:
        gone = hidden.keys() - shown
        seen = [
            panel for panel, controls in closed.items() if not all(_is_unseen(each, gone, styles) for each in controls)
        ]
        if not seen:
            return shown
        shown.update(seen)
        for panel in seen:
            del closed[panel]


def _is_unseen(control: LexborNode, gone: Collection[int], styles: PageStyles) -> bool:
    return control.mem_id in gone or bool(hides_text(styles.declarations(control))) or _is_inside(control, gone)


def _detach(hidden: dict[int, LexborNode]) -> list[str]:
    """Remove the outermost of the nodes, because nodes inside a removed one no longer exist. Return their texts."""
    outermost = [node for node in hidden.values() if not _is_inside(node, hidden)]
    hidden.clear()
    texts = []
    for node in outermost:
        if node.tag not in _CODE:
            text = _TAG.sub(" ", node.html or "") if node.tag == "template" else node.text(separator=" ")
            texts.append(" ".join(text.split()))
        node.decompose()
    return texts


def _is_inside(node: LexborNode, hidden: Collection[int]) -> bool:
    return any(above.mem_id in hidden for above in ancestors(node))


def _remove_unreadable_text(tree: LexborHTMLParser, styles: PageStyles) -> list[str]:
    """Remove text that is too small, invisible by inheritance, or in the colour of its background; descendants may
    override each."""
    if tree.body is None:
        return []
    suspects = styles.whose(lambda style: bool(hides_text(style)) or text_colour(style) is not None)
    starts = {node.mem_id: node for node in tree.css("*") if node.mem_id in suspects} if suspects else {}
    doomed: list[LexborNode] = []
    for node in starts.values():
        if not _is_inside(node, starts):
            _collect_unreadable(node, styles, doomed, tree.body)
    texts = [text.text_content or "" for text in doomed]
    for text in doomed:
        text.decompose()
    return texts


def _collect_unreadable(start: LexborNode, styles: PageStyles, doomed: list[LexborNode], body: LexborNode) -> None:
    root_is_plain = not styles.has_external_sheets
    waiting: list[tuple[LexborNode, bool, Rgb | str | None, Rgb | str]] = [
        (start, False, None, _ground(start.parent, styles, _WHITE if root_is_plain else "unknown"))
    ]
    while waiting:
        node, is_hidden, ink, ground = waiting.pop()
        style = styles.declarations(node)
        if style:
            verdict = hides_text(style)
            if verdict and style.get("visibility") == "hidden" and _holds_the_page(node, body):
                verdict = False
            is_hidden = is_hidden if verdict is None else verdict
            declared = text_colour(style)
            clips = "text" in (style.get("background-clip"), style.get("-webkit-background-clip"))
            ink = None if clips else (declared or ink)
            ground = background_colour(style) or ground
        elif ground == _WHITE and styles.has_external_sheets and node.attributes.get("class"):
            ground = "unknown"  # an external sheet may colour it
        unseen = is_hidden or ink == "transparent" or is_same_colour(ink, ground)
        for child in node.iter(include_text=True):
            if child.is_text_node:
                if unseen:
                    doomed.append(child)
            else:
                waiting.append((child, is_hidden, ink, ground))


def _ground(node: LexborNode | None, styles: PageStyles, default: Rgb | str) -> Rgb | str:
    while node is not None:
        style = styles.declarations(node)
        colour = background_colour(style) if style else None
        if colour is not None:
            return colour
        node = node.parent
    return default

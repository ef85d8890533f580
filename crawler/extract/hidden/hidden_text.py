"""Removes what the reader of a page cannot see from its tree, before its text is used.

Pages that others can write to contain text for machines: in `display:none` blocks, in white on white, off the screen,
in comments. What counts is what a reader sees, not a list of phrases: visible text is kept, whatever it says. Styles
count if the page itself has them (style attributes, <style>, presentational attributes); external sheets are not read.
"""

import re
from base64 import b64decode
from collections.abc import Collection, Iterator, Mapping
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from crawler.extract.hidden.css_rules import (
    Declarations,
    Rule,
    holds_on_screen,
    parse_declarations,
    parse_sheet,
    resolve_variables,
)
from crawler.extract.hidden.css_visibility import (
    RELEVANT,
    Rgb,
    background_colour,
    hides_element,
    hides_text,
    is_same_colour,
    text_colour,
)
from crawler.extract.hidden.inline_variants import show_inline_variants
from crawler.extract.hidden.opened_panels import opened_panels
from crawler.extract.html_tree import ancestors

# Never text of the page: code, the inner data of controls, fallbacks for features that browsers support.
_NEVER_SHOWN = (
    "script,style,noscript,template,dialog:not([open]),datalist,object,iframe,embed,video,audio,canvas,noembed,noframes,"
    "svg,rp,select,textarea,map,body title,annotation,annotation-xml,input,[popover]"
)
_HIDDEN_CLASSES = (
    ".sr-only,.visually-hidden,.visuallyhidden,.screen-reader-text,.screen-reader-only,.screenreader-only,"
    ".element-invisible,.u-visually-hidden,.a11y-hidden,.cdk-visually-hidden,.assistive-text,"
    ".show-for-sr,.sr-text,.offscreen,.off-screen,.hidden-visually"
)
# The meaning of these names in common sheets, which we do not read.
_HIDDEN_BY_SHEET = ".hidden,.d-none,.is-hidden,.u-hidden,.invisible,.display-none,.uk-hidden,code .boring,.ttc"
_SHOWN_BY_CLASS = re.compile(
    r":(?:block|flex|grid|inline|table|contents|visible)|\bd-\w+-(?:block|flex|grid|inline|table)"
)
_TAG = re.compile(r"<[^<>]*>")
_CODE = frozenset({"script", "style", "svg", "object", "embed", "canvas", "map", "math", "annotation"})
MAX_HIDDEN_CHARS = 20_000
_MAX_RULES = 3000
_MAX_MATCHES = 20_000
_WHITE: Rgb = (255, 255, 255)


def remove_hidden(tree: LexborHTMLParser) -> str:
    """Remove, in place, every element, comment and text of `tree` that its own markup hides from the reader; return
    their text, except for code, up to MAX_HIDDEN_CHARS."""
    if tree.body is None:
        return ""
    styles = _Styles(tree)
    hidden = {node.mem_id: node for node in tree.body.css(f"{_NEVER_SHOWN},{_HIDDEN_CLASSES}")}
    if styles.has_external_sheets:
        hidden |= {node.mem_id: node for node in tree.body.css(_HIDDEN_BY_SHEET) if not _is_shown_by_class(node)}
    for node in tree.body.css("[hidden]"):
        if styles.of(node).get("display", "none") == "none":
            hidden[node.mem_id] = node
    for node in tree.body.css('[aria-hidden="true" i]'):
        if node.tag != "body" and node.css_first("main,article,h1,[role=main]") is None:
            hidden[node.mem_id] = node
    for node in styles.declaring():
        if node.tag in {"html", "body"}:
            continue
        if hides_element(styles.of(node)):
            hidden[node.mem_id] = node
    for shown in _shown_at_a_click(tree, hidden, styles) | show_inline_variants(tree, hidden):
        del hidden[shown]
    texts = _detach(hidden)
    texts += _remove_unreadable_text(tree, styles)
    comments = [node for node in tree.root.traverse(include_text=True) if node.is_comment_node] if tree.root else []
    for comment in comments:
        texts.append(comment.comment_content or "")
        comment.decompose()
    return "\n".join(filter(None, texts))[:MAX_HIDDEN_CHARS]


def _is_shown_by_class(node: LexborNode) -> bool:
    """`hidden md:block`, `d-none d-lg-flex`: hidden on small screens only."""
    return bool(_SHOWN_BY_CLASS.search(node.attributes.get("class") or ""))


class _Styles:
    """The page's own declarations for each of its elements, after the cascade of its own sheets."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._declared: dict[int, dict[str, str]] = {}
        self._nodes: dict[int, LexborNode] = {}
        self.has_external_sheets = tree.css_first('link[rel~="stylesheet" i]') is not None
        rules = [rule for sheet in _own_sheets(tree) for rule in parse_sheet(sheet)]
        variables = {
            name: value
            for rule in rules
            for name, value in rule.declarations.items()
            if name.startswith("--") and rule.selector in {":root", "html", "body", "*"}
        }
        self._apply(rules, variables)

    def of(self, node: LexborNode) -> Declarations:
        return self._declared.get(node.mem_id, {})

    def declaring(self) -> Iterator[LexborNode]:
        yield from self._nodes.values()

    def suspects_of_unreadable_text(self) -> set[int]:
        """Ids of the elements whose text may be unreadable (ids, because the nodes may be gone by now)."""
        return {key for key, style in self._declared.items() if hides_text(style) or text_colour(style) is not None}

    def _apply(self, rules: list[Rule], variables: Declarations) -> None:
        found: dict[int, list[tuple[tuple[bool, int, int], dict[str, str]]]] = {}

        def note(node: LexborNode, rank: tuple[bool, int, int], values: dict[str, str]) -> None:
            if values:
                self._nodes.setdefault(node.mem_id, node)
                found.setdefault(node.mem_id, []).append((rank, values))

        matches = 0
        relevant = [rule for rule in rules if not RELEVANT.isdisjoint(rule.declarations)]
        names = _class_names_and_ids(self._tree)
        for order, rule in enumerate(relevant[:_MAX_RULES]):
            if not rule.may_match(names):
                continue
            weight = rule.weight
            values = {name: value for name, value in rule.declarations.items() if name in RELEVANT}
            plain = {name: value for name, value in values.items() if name not in rule.important}
            marked = {name: value for name, value in values.items() if name in rule.important}
            for node in self._matching(rule.selector):
                matches += 1
                note(node, (False, weight, order), plain)
                note(node, (True, weight, order), marked)
            if matches > _MAX_MATCHES:
                break
        for node in self._tree.css("[style],[bgcolor],[color],body[text]"):
            attributes = node.attributes
            hints = {
                name: (attributes.get(attribute) or "").strip().lower()
                for attribute, name in (("bgcolor", "background-color"), ("color", "color"), ("text", "color"))
                if attributes.get(attribute)
            }
            note(node, (False, -1, 0), hints)
            values, important = parse_declarations(attributes.get("style") or "")
            own = {name: value for name, value in values.items() if name in RELEVANT or name.startswith("--")}
            note(node, (False, 1_000_000, 0), {name: own[name] for name in own if name not in important})
            note(node, (True, 1_000_000, 0), {name: own[name] for name in own if name in important})
        for key, layers in found.items():
            merged: dict[str, str] = {}
            for _, values in sorted(layers, key=lambda layer: layer[0]):
                for name, value in values.items():
                    merged.pop(name, None)  # the later one wins, also between a shorthand and its longhand
                    merged[name] = value
            self._declared[key] = resolve_variables(merged, variables)

    def _matching(self, selector: str) -> list[LexborNode]:
        if "::" in selector or (":" in selector and any(state in selector for state in _STATES)):
            return []
        try:
            return self._tree.css(selector)
        except (ValueError, SelectolaxError):  # a selector that the engine does not know hides nothing that we can find
            return []


def _class_names_and_ids(tree: LexborHTMLParser) -> frozenset[str]:
    """In lower case, because pages in quirks mode ignore case."""
    found: set[str] = set()
    for node in tree.css("[class],[id]"):
        attributes = node.attributes
        found.update((attributes.get("class") or "").lower().split())
        found.add((attributes.get("id") or "").strip().lower())
    return frozenset(found)


def _own_sheets(tree: LexborHTMLParser) -> Iterator[str]:
    """<style> elements, and sheets that are in the page as data URLs."""
    for node in tree.css('style,link[rel~="stylesheet" i][href^="data:text/css" i]'):
        attributes = node.attributes
        if not holds_on_screen(attributes.get("media") or ""):
            continue
        if node.tag == "style":
            yield node.text()
            continue
        kind, _, data = (attributes.get("href") or "").partition(",")
        try:
            yield b64decode(unquote(data)).decode("utf-8", "replace") if "base64" in kind.lower() else unquote(data)
        except ValueError:
            continue


# Selectors that apply only while the reader does something, or to pseudo-elements.
_STATES = (
    ":hover", ":focus", ":active", ":visited", ":checked", ":target", ":before", ":after", ":first-letter",
    ":first-line", ":disabled", ":invalid", ":valid", ":placeholder", ":host", ":empty", ":has(", ":open",
)  # fmt: skip


def _shown_at_a_click(tree: LexborHTMLParser, hidden: Mapping[int, LexborNode], styles: _Styles) -> set[int]:
    """The hidden panels that a visible control opens, or one within a panel that opens first."""
    opened = {panel: controls for panel, controls in opened_panels(tree).items() if panel in hidden}
    while True:
        gone = hidden.keys() - opened.keys()
        unseen = [
            panel for panel, controls in opened.items() if all(_is_unseen(each, gone, styles) for each in controls)
        ]
        if not unseen:
            return set(opened)
        for panel in unseen:
            del opened[panel]


def _is_unseen(control: LexborNode, gone: Collection[int], styles: _Styles) -> bool:
    return control.mem_id in gone or bool(hides_text(styles.of(control))) or _is_inside(control, gone)


def _detach(hidden: dict[int, LexborNode]) -> list[str]:
    """Remove the outermost nodes only: a node inside a removed one no longer exists. Return their texts."""
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


def _remove_unreadable_text(tree: LexborHTMLParser, styles: _Styles) -> list[str]:
    """Remove text that is too small, invisible by inheritance, or in the colour of its background; descendants may
    override each."""
    if tree.body is None:
        return []
    suspects = styles.suspects_of_unreadable_text()
    starts = {node.mem_id: node for node in tree.css("*") if node.mem_id in suspects} if suspects else {}
    doomed: list[LexborNode] = []
    for node in starts.values():
        if not _is_inside(node, starts):
            _collect_unreadable(node, styles, doomed)
    texts = [text.text_content or "" for text in doomed]
    for text in doomed:
        text.decompose()
    return texts


def _collect_unreadable(start: LexborNode, styles: _Styles, doomed: list[LexborNode]) -> None:
    root_is_plain = not styles.has_external_sheets
    waiting: list[tuple[LexborNode, bool, Rgb | str | None, Rgb | str]] = [
        (start, False, None, _ground(start.parent, styles, _WHITE if root_is_plain else "unknown"))
    ]
    while waiting:
        node, is_hidden, ink, ground = waiting.pop()
        style = styles.of(node)
        if style:
            verdict = hides_text(style)
            is_hidden = is_hidden if verdict is None else verdict
            declared = text_colour(style)
            clips = "text" in (style.get("background-clip"), style.get("-webkit-background-clip"))
            ink = None if clips else (declared or ink)
            ground = background_colour(style) or ground
        elif ground == _WHITE and styles.has_external_sheets and node.attributes.get("class"):
            ground = "unknown"  # a sheet that we do not read may paint it
        unseen = is_hidden or ink == "transparent" or is_same_colour(ink, ground)
        for child in node.iter(include_text=True):
            if child.is_text_node:
                if unseen:
                    doomed.append(child)
            else:
                waiting.append((child, is_hidden, ink, ground))


def _ground(node: LexborNode | None, styles: _Styles, default: Rgb | str) -> Rgb | str:
    while node is not None:
        style = styles.of(node)
        colour = background_colour(style) if style else None
        if colour is not None:
            return colour
        node = node.parent
    return default

"""A page's own declarations for each of its elements: style attributes, <style>, presentational attributes."""

from base64 import b64decode
from collections.abc import Callable, Iterator
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
from crawler.extract.hidden.css_visibility import RELEVANT

_MAX_RULES = 3000
_MAX_MATCHES = 20_000

# (rank in the cascade, declarations); the rank is (is_important, weight, place).
_Layer = tuple[tuple[bool, int, int], dict[str, str]]


class PageStyles:
    """The page's own declarations for each of its elements, after the cascade of its own sheets."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._declared: dict[int, Declarations] = {}  # elements with the same rules share theirs
        self._nodes: dict[int, LexborNode] = {}
        self.has_external_sheets = tree.css_first('link[rel~="stylesheet" i]') is not None
        names = _class_names_and_ids(tree)
        rules = [rule for sheet in _own_sheets(tree) for rule in parse_sheet(sheet, names)]
        variables = {
            name: value
            for rule in rules
            for name, value in rule.declarations.items()
            if name.startswith("--") and rule.selector in {":root", "html", "body", "*"}
        }
        self._apply(rules, variables)

    def declarations(self, node: LexborNode) -> Declarations:
        return self._declared.get(node.mem_id, {})

    def declaring(self) -> Iterator[LexborNode]:
        yield from self._nodes.values()

    def whose(self, is_so: Callable[[Declarations], bool]) -> set[int]:
        """The ids of elements whose declarations satisfy `is_so`. Ids, because nodes may have been removed."""
        distinct = {id(style): style for style in self._declared.values()}
        found = {key for key, style in distinct.items() if is_so(style)}
        return {key for key, style in self._declared.items() if id(style) in found}

    def _apply(self, rules: list[Rule], variables: Declarations) -> None:
        found: dict[int, list[_Layer]] = {}

        def note(node: LexborNode, *layers: _Layer) -> None:
            if filled := [layer for layer in layers if layer[1]]:
                key = node.mem_id
                self._nodes.setdefault(key, node)
                found.setdefault(key, []).extend(filled)

        matches = 0
        relevant = [rule for rule in rules if not RELEVANT.isdisjoint(rule.declarations)]
        by_selector: dict[str, list[LexborNode]] = {}
        for order, rule in enumerate(relevant[:_MAX_RULES]):
            if (nodes := by_selector.get(rule.selector)) is None:
                nodes = by_selector[rule.selector] = self._matching(rule.selector)
            if not nodes:
                continue
            weight = rule.weight
            values = {name: value for name, value in rule.declarations.items() if name in RELEVANT}
            plain = {name: value for name, value in values.items() if name not in rule.important}
            marked = {name: value for name, value in values.items() if name in rule.important}
            for node in nodes:
                note(node, ((False, weight, order), plain), ((True, weight, order), marked))
            matches += len(nodes)
            if matches > _MAX_MATCHES:
                break
        layers_of_style: dict[str, tuple[_Layer, _Layer]] = {}
        for node in self._tree.css("[style],[bgcolor],[color],body[text]"):
            attributes = node.attributes
            hints = {
                name: (attributes.get(attribute) or "").strip().lower()
                for attribute, name in (("bgcolor", "background-color"), ("color", "color"), ("text", "color"))
                if attributes.get(attribute)
            }
            style = attributes.get("style") or ""
            if style not in layers_of_style:
                layers_of_style[style] = _own_layers(style)
            note(node, ((False, -1, 0), hints), *layers_of_style[style])
        merged: dict[tuple[int, ...], Declarations] = {}
        for key, layers in found.items():
            same = tuple(id(values) for _, values in layers)
            if same not in merged:
                merged[same] = resolve_variables(_merged(layers), variables)
            self._declared[key] = merged[same]

    def _matching(self, selector: str) -> list[LexborNode]:
        try:
            return self._tree.css(selector)
        except (ValueError, SelectolaxError):  # rules with a selector that the engine does not know are ignored
            return []


def _own_layers(style: str) -> tuple[_Layer, _Layer]:
    values, important = parse_declarations(style)
    own = {name: value for name, value in values.items() if name in RELEVANT or name.startswith("--")}
    return (
        ((False, 1_000_000, 0), {name: own[name] for name in own if name not in important}),
        ((True, 1_000_000, 0), {name: own[name] for name in own if name in important}),
    )


def _merged(layers: list[_Layer]) -> dict[str, str]:
    merged: dict[str, str] = {}
    for _, values in sorted(layers, key=lambda layer: layer[0]):
        for name, value in values.items():
            merged.pop(name, None)  # moves it to the end, because a later longhand overrides a shorthand
            merged[name] = value
    return merged


def _class_names_and_ids(tree: LexborHTMLParser) -> frozenset[str]:
    """The page's class names and ids in lower case, because pages in quirks mode ignore case."""
    written: set[str] = set()
    for node in tree.css("[class],[id]"):
        attributes = node.attributes
        written.add(attributes.get("class") or "")
        written.add(attributes.get("id") or "")
    return frozenset(name for names in written for name in names.lower().split())


def _own_sheets(tree: LexborHTMLParser) -> Iterator[str]:
    """The sheets in <style> elements and in data URLs."""
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

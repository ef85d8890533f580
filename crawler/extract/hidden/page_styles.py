"""A page's own declarations for each of its elements: style attributes, <style>, presentational attributes."""

from base64 import b64decode
from collections.abc import Iterator
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
from crawler.extract.hidden.css_visibility import RELEVANT, hides_text, strikes_out, text_colour

_MAX_RULES = 3000
_MAX_MATCHES = 20_000


class PageStyles:
    """The page's own declarations for each of its elements, after the cascade of its own sheets."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._declared: dict[int, dict[str, str]] = {}
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

    def suspects_of_unreadable_text(self) -> set[int]:
        """Ids of the elements whose text may be unreadable (ids, because the nodes may be gone by now)."""
        return {key for key, style in self._declared.items() if hides_text(style) or text_colour(style) is not None}

    def struck_out(self) -> set[int]:
        """Ids of the elements through whose text a line goes."""
        return {key for key, style in self._declared.items() if strikes_out(style)}

    def _apply(self, rules: list[Rule], variables: Declarations) -> None:
        found: dict[int, list[tuple[tuple[bool, int, int], dict[str, str]]]] = {}

        def note(node: LexborNode, rank: tuple[bool, int, int], values: dict[str, str]) -> None:
            if values:
                self._nodes.setdefault(node.mem_id, node)
                found.setdefault(node.mem_id, []).append((rank, values))

        matches = 0
        relevant = [rule for rule in rules if not RELEVANT.isdisjoint(rule.declarations)]
        for order, rule in enumerate(relevant[:_MAX_RULES]):
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

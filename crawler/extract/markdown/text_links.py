"""Writes the links within a page's text as Markdown: "[Download form](https://.../form.pdf)".

The links are marked in the page's tree and replaced once its text is written, because addresses would disturb the code
that turns elements into Markdown by their words. The marks are two signs within the label, after its first letter and
before its last one, so that they change neither the beginning nor the end of a line.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.errors import UrlRefused
from crawler.extract.html_tree import HEADING_TAGS, ancestors
from crawler.extract.links import Normaliser, as_browsers_read, base_of
from crawler.extract.markdown.writer import Rendered

_MOST_LINKS: Final = 1000
_MAX_LABEL_CHARS: Final = 200
_MAX_TARGET_CHARS: Final = 1000
_OPEN, _CLOSE, _ZERO = "\ufdd2", "\ufdd3", 0xFDE0  # noncharacters: pages do not use them
_SIGNS: Final = re.compile("[\ufdd2\ufdd3\ufde0-\ufdef]")
_MARKED: Final = re.compile(f"(`{{0,9}}+)(\\S){_OPEN}([\ufde0-\ufdef]+)([^\n{_OPEN}]*?){_CLOSE}(\\S)(`{{0,9}})")
_NO_LABEL: Final = re.compile(r"[\[\]]|~~|\A\d{1,3}\Z")  # the last would look like a citation
_WORD: Final = re.compile(r"\w{2}")
_LEAST_LETTERS: Final = 2
_FENCE: Final = re.compile(r" *(`{3,})")
_NOT_VOUCHED_FOR: Final = frozenset({"nofollow", "ugc", "sponsored"})
_FRAME: Final = "nav a[href],header a[href],footer a[href],[role=navigation] a[href],[role=contentinfo] a[href]"
_NO_TEXT: Final = frozenset({"h1", "pre"})
_NO_LABELS: Final = ",".join(sorted(_NO_TEXT))
_HEADINGS: Final = ",".join(sorted(HEADING_TAGS))
_WHOLE_TEXT: Final = frozenset({"p", "li", "div", "td", "dd", "section", "article", "main", "body"})
_ADDRESS: Final = re.compile(r"(?:mailto:[^\s@:/?]+@[\w.-]+\.[a-z]{2,24}|tel:\+?[\d() ./-]{3,40})", re.IGNORECASE)
_BARE: Final = re.compile(r"[^\s@:/?#]+@[\w-]+(?:\.[\w-]+)+")  # an e-mail address without "mailto:"
_LINK: Final = re.compile(r"\[([^\[\]\n]+)\]\((?:https?://|mailto:|tel:)[^\s()]+\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TextLinks:
    """The targets of the links that are marked in a tree, by their numbers in the marks."""

    targets: tuple[str, ...] = ()

    def written(self, rendered: Rendered) -> Rendered:
        """Replace the marks by Markdown links, and remove them from headings."""
        if not self.targets:
            return rendered
        return Rendered(
            "\n".join(_without_signs(line if is_code else self._line(line)) for line, is_code in _lines(rendered)),
            tuple(replace(heading, text=_without_signs(heading.text)) for heading in rendered.headings),
        )

    def _line(self, line: str) -> str:
        return _MARKED.sub(self._link, line) if _OPEN in line else line

    def _link(self, found: re.Match[str]) -> str:
        opening, first, digits, middle, last, closing = found.groups()
        label, rest = _without_kind(opening + first + middle + last + closing)
        number = int("".join(f"{ord(digit) - _ZERO:x}" for digit in digits), 16)
        is_in_code = found.string.count("`", 0, found.start()) % 2 or label.count("`") % 2
        if is_in_code or _NO_LABEL.search(label) or number >= len(self.targets):
            return label + rest
        return f"[{label}]({self.targets[number]}){rest}"


def _lines(rendered: Rendered) -> Iterator[tuple[str, bool]]:
    """(line, whether it is fenced code) in order."""
    fence = ""
    for line in rendered.markdown.split("\n"):
        yield line, bool(fence)
        if (mark := _FENCE.match(line)) and (not fence or line.strip() == fence):
            fence = "" if fence else mark[1]


def _without_kind(label: str) -> tuple[str, str]:
    """Split a label that ends with a kind in brackets, which labels cannot contain: ("Application", " [PDF, 7
    pages]")."""
    before, bracket, _ = label.partition("[")
    if not bracket or "]" in before or not _WORD.search(before):
        return label, ""
    kept = before.rstrip()
    return kept, label[len(kept) :]


def without_targets(markdown: str) -> str:
    """The text with each link replaced by its label."""
    return _LINK.sub(r"\1", markdown)


def frame_links(tree: LexborHTMLParser) -> frozenset[tuple[str, str]]:
    """(href, label) of the links in the page's navigation, header and footer."""
    return frozenset((node.attributes.get("href") or "", _label(node)) for node in tree.css(_FRAME))


def mark_links(
    root: LexborNode, tree: LexborHTMLParser, url: str, normalise: Normaliser, frame: Collection[tuple[str, str]] = ()
) -> TextLinks:
    """Mark the links in the text of `root`, in place. Links within the page, links that run a script and untrusted
    links to other sites are left out, and so are links that are in the page's `frame` too, except within sentences."""
    base = base_of(tree, url)
    targets: list[str] = []
    for node in root.css("a[href]"):
        if len(targets) == _MOST_LINKS:
            break
        if not (target := _target(node, base, url, normalise)):
            continue
        if (node.attributes.get("href") or "", _label(node)) in frame and _is_whole_text(node):
            continue
        if _mark(node, "".join(chr(_ZERO + int(digit, 16)) for digit in f"{len(targets):x}")):
            targets.append(target)
    return TextLinks(tuple(targets))


def _target(node: LexborNode, base: str, url: str, normalise: Normaliser) -> str:
    """The link's target; "" if it is on the same page, or must not be followed."""
    attributes = node.attributes
    written = (attributes.get("href") or "").strip()
    href = f"mailto:{written}" if _BARE.fullmatch(written) else as_browsers_read(base, written)
    if href.lower().startswith(("mailto:", "tel:")):
        address = href.partition("?")[0].replace("%20", "")
        return address if _ADDRESS.fullmatch(address) else ""
    page, _, place = href.partition("#")
    if page == url.partition("#")[0]:
        return ""
    try:
        target = normalise(page)
    except UrlRefused:
        return ""
    is_elsewhere = urlsplit(target).netloc != urlsplit(url).netloc
    if is_elsewhere and not _NOT_VOUCHED_FOR.isdisjoint((attributes.get("rel") or "").lower().split()):
        return ""
    target = f"{target}#{quote(place, safe='%/?:@!$&*+,;=~-._')}" if place else target
    target = target.replace("(", "%28").replace(")", "%29")
    return target if len(target) <= _MAX_TARGET_CHARS else ""


def _mark(node: LexborNode, number: str) -> bool:
    """Put the marks into the first and the last text of the link, or of the heading in it. Returns False if it has no
    text for a label, or is the page's title, which names the page itself."""
    if any(above.tag in _NO_TEXT for above in ancestors(node)) or node.css_first(_NO_LABELS) is not None:
        return False
    node = node.css_first(_HEADINGS) or node
    if len(label := _label(node)) > _MAX_LABEL_CHARS or sum(map(str.isalnum, label)) < _LEAST_LETTERS:
        return False
    texts = [part for part in node.traverse(include_text=True) if part.is_text_node and part.text().strip()]
    if not texts:
        return False
    if len(texts) > 1:
        texts[-1].replace_with(_closed(texts[-1].text()))
    text = texts[0].text()
    start = len(text) - len(text.lstrip()) + 1
    rest = text[start:] if len(texts) > 1 else _closed(text[start:])
    texts[0].replace_with(f"{text[:start]}{_OPEN}{number}{rest}")
    return True


def _closed(text: str) -> str:
    """The text with the closing mark before its last letter."""
    end = len(text.rstrip()) - 1
    return f"{text[:end]}{_CLOSE}{text[end:]}"


def _is_whole_text(node: LexborNode) -> bool:
    """Whether there is no other text beside the node."""
    above = next((each for each in ancestors(node) if each.tag in _WHOLE_TEXT), None)
    return above is None or _label(above) == _label(node)


def _label(node: LexborNode) -> str:
    return " ".join(node.text().split())


def _without_signs(text: str) -> str:
    return _SIGNS.sub("", text)

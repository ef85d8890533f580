"""Finds parts of a page's frame by their words and links instead of their classes: the site's name as a heading, a
choice of languages, teasers for other articles, the line with the date of the last change."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import re2
from selectolax.lexbor import LexborNode

from crawler.extract.html_tree import HEADING_TAGS, side_by_side, text_length

_TEASERS = re.compile(
    r"(?:more|best|latest|headlines)(?: must[- ]reads| stories| articles| posts| news)? (?:from|in|of|on) .{2,60}"
    r"|more (?:must[- ]reads|stories|articles|posts|news|to read)?(?: ?(?:like this(?: one)?|on this topic))?"
    r"|related (?:stories|articles|posts|news|content|reading|coverage|products|items)"
    r"|recommended(?: for you| reading| stories| articles| products)?"
    r"|(?:you (?:may|might) also|customers also|people also) (?:like|enjoy|be interested in|bought|viewed)"
    r"|trending(?: now| stories| topics| articles)?|most (?:read|popular|viewed|shared)"
    r"|popular (?:posts|articles|stories)"
    r"|(?:latest|recent|top|featured) (?:news|stories|posts|articles|headlines)"
    r"|editors?['’]?s?['’]? picks?|in case you missed it|up next|keep reading"
    r"|(?:what to )?read next|don['’]t miss.{0,30}|recently viewed(?: articles| products| items)?"
    r"|(?:ähnliche|verwandte|weitere) (?:artikel|beiträge|themen|produkte)"
    r"|das könnte (?:dir|dich|ihnen|sie) auch .{5,20}"
    r"|kunden kauften auch|(?:kürzlich|zuletzt) angesehen(?:e artikel|e produkte)?|mehr zum thema"
    r"|(?:artículos|productos|entradas|temas) (?:relacionad[oa]s|similares)|también te puede (?:gustar|interesar)"
    r"|(?:productos )?vist[oa]s recientemente"
    r"|(?:articles|produits) (?:similaires|associés|connexes|liés)"
    r"|vous (?:aimerez|pourriez) (?:peut-être )?aussi.{0,12}"
    r"|récemment consultés",
    re.IGNORECASE,
)
_ONE_TEASER = re.compile(
    r"(?:read more|read next|read also|also read|related|see more|more on this)\s*[:|»–—-]", re.IGNORECASE
)
_WHEN_CHANGED = re.compile(
    r"(?:this (?:page|document|article) (?:was )?)?last (?:modified|updated|changed|edited|reviewed|revised|generated)"
    r"(?: on| at| by)?\s*:?[^.]{0,50}\d[^.]{0,30}\.?",
    re.IGNORECASE,
)
_WHO_WROTE = re.compile(
    r"this (?:page|document|documentation|manual) (?:was|has been) (?:automatically )?"
    r"(?:generated|built|produced|created)(?: automatically)? (?:on|by|using|with|from)\b.{0,120}",
    re.IGNORECASE,
)
# re2 searches in linear time; these patterns run over every line of every page.
_TEASERS_LINE = re2.compile(rf"(?im)^[ \t]*(?:{_TEASERS.pattern})[ \t]*$")
_LINE_TO_JUDGE = re2.compile(
    rf"(?im)^[ \t]*(?:{_ONE_TEASER.pattern}|(?:this (?:page|document|article) (?:was )?)?last (?:mod|up|ch|ed|rev|gen)"
    r"|this (?:page|document|documentation|manual) (?:was|has been) )"
)
_HOME = re.compile(r"(?:(?:\.{1,2}/)*|/|(?:.*/)?index\.\w{3,5})")
_MAX_TEASER_CHARS = 200
_MAX_SOURCE_CHARS = 800  # of a short line, including the blanks of its source
_MAX_LANGUAGE_CHARS = 24
_MAX_CHARS_AROUND_LANGUAGES = 60
_TO_NEIGHBOURS = ",".join(f"a[rel~={where}]" for where in ("next", "prev", "previous", "up", "contents", "index"))
_MAX_NEIGHBOURS = 8
_IN_BRACKETS = re.compile(r"(?:\[[^\[\]]*+\])++")
_WORD = re.compile(r"[^\W\d_]+")


def site_heading(root: LexborNode) -> LexborNode | None:
    """The first heading if it is the site's name: a link to the home page, on a page with another heading."""
    heading = root.css_first("h1")
    if heading is None or len(root.css("h1,h2")) < 2:
        return None
    links = heading.css("a[href]")
    if len(links) != 1 or text_length(links[0]) != text_length(heading):
        return None
    href = links[0].attributes.get("href") or ""
    return heading if not href.startswith("#") and _HOME.fullmatch(urlsplit(href).path) else None


def frame_by_words(root: LexborNode) -> Iterator[LexborNode]:
    """The elements of `root` that are part of the frame; they may be nested."""
    yield from _language_choices(root)
    yield from _links_to_neighbours(root)
    yield from _links_in_brackets(root)
    lines = root.text(separator="\n")  # a single pass over all text, because most pages have no such words
    if _TEASERS_LINE.search(lines):
        for heading in root.css("h2,h3,h4,h5,h6,label,strong,p,div"):
            text = heading.text()
            if len(text) < _MAX_SOURCE_CHARS and _TEASERS.fullmatch(" ".join(text.split())):
                yield from _teasers_below(heading)
    if _LINE_TO_JUDGE.search(lines):
        for node in root.css("p,li,div,small,span,em,i"):
            text = node.text()
            if len(text) < _MAX_SOURCE_CHARS and _is_frame_line(node, " ".join(text.split())):
                yield node


def _is_frame_line(node: LexborNode, text: str) -> bool:
    if _is_one_teaser(node, text):
        return True
    stamp = _WHEN_CHANGED.fullmatch(text) or _WHO_WROTE.fullmatch(text)
    return stamp is not None and not _is_in_sentence(node, text)


def _is_one_teaser(node: LexborNode, text: str) -> bool:
    return len(text) < _MAX_TEASER_CHARS and _ONE_TEASER.match(text) is not None and _linked(node) > 0.6


def _language_choices(root: LexborNode) -> Iterator[LexborNode]:
    boxes: dict[int, LexborNode] = {}
    for link in root.css("a[hreflang]"):
        box = link.parent if link.parent is None or link.parent.tag != "li" else link.parent.parent
        if box is not None:
            boxes[box.mem_id] = box
    for box in boxes.values():
        links = box.css("a")
        beside = text_length(box) - sum(text_length(link) for link in links)
        are_short = all(text_length(link) <= _MAX_LANGUAGE_CHARS for link in links)
        if len(links) > 1 and are_short and beside <= _MAX_CHARS_AROUND_LANGUAGES:
            yield box


def _links_to_neighbours(root: LexborNode) -> Iterator[LexborNode]:
    """Lines of links to neighbouring chapters that are marked as such: "Next: Broadcasting, Up: Vectorization
    [Contents][Index]"."""
    for link in root.css(_TO_NEIGHBOURS):
        line = link.parent
        while line is not None and line.tag in {"span", "b", "strong", "em", "li"}:
            line = line.parent
        if line is None or line.tag not in {"p", "div", "td", "ul"} or line.css_first("h1,h2,h3,pre,table") is not None:
            continue
        if len(line.css("a")) <= _MAX_NEIGHBOURS and _is_all_links(line):
            yield line


def _links_in_brackets(root: LexborNode) -> Iterator[LexborNode]:
    """Tables of links to neighbouring chapters, as written by texi2html: "[ < ] [ Up ] [ > ] [Contents] [Index]"."""
    for table in side_by_side(root, "table"):
        if _IN_BRACKETS.fullmatch("".join(table.text().split())) and _is_all_links(table):
            yield table


def _is_all_links(node: LexborNode) -> bool:
    """Whether the node has several links and hardly any other words."""
    links = node.css("a")
    beside = len(_WORD.findall(node.text())) - sum(len(_WORD.findall(link.text())) for link in links)
    return len(links) > 1 and beside <= len(links) + 1


def _teasers_below(heading: LexborNode) -> Iterator[LexborNode]:
    """The heading and the links to other pages that follow it."""
    below: list[LexborNode] = []
    node = heading.next
    while node is not None and node.tag not in HEADING_TAGS:
        if node.is_element_node and node.text().strip():
            if not _is_links(node):
                break
            below.append(node)
        node = node.next
    if below:
        yield heading
        yield from below


def _is_links(node: LexborNode) -> bool:
    items = node.css("li")
    if items:
        return all(item.css_first("a[href]") is not None and text_length(item) < _MAX_TEASER_CHARS for item in items)
    return _linked(node) > 0.6


def _is_in_sentence(node: LexborNode, text: str) -> bool:
    above = node.parent
    return node.tag in {"span", "em", "i"} and above is not None and text_length(above) > len(text) + 8


def _linked(node: LexborNode) -> float:
    return sum(text_length(link) for link in node.css("a[href]")) / max(1, text_length(node))

"""Finds the element with a page's main content.

The page's own mark (<main>, role=main, a single <article>) is used if there is one. Otherwise, it is the smallest
element around the text that trafilatura selects. Our own writer writes it, so that code, tables and definition lists
stay complete.
"""

import re

import trafilatura
from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.boilerplate import link_share
from crawler.extract.html_tree import ancestors, elements_behind, text_length

_MIN_CHARS = 120
_MIN_SHARE = 0.25  # of the page's text; an element with less is a shell that a script fills
_MOST_OF_IT = 0.9
_MAX_BANNER_CHARS = 300
_MAX_TEASER_CHARS = 300
_RAIL_LINK_SHARE = 0.25
_PROSE_CHARS = 80
_PROBE_CHARS = 60
_MIN_PROBE_CHARS = 12
_MAX_CHARS_TO_ASK = 1_500_000  # for a longer page, trafilatura would take too long, and the whole body is used
_TITLES = "h1,.headertitle,.page-title,.pagetitle,.entry-title,.post-title"
_NOT_WORD = re.compile(r"[\W_]+")
# Trafilatura fills in the cells that a span covers, which can be millions and change no text.
_SPAN = re.compile(r' (?:col|row)span="[^"]*"')


def find_main_content(tree: LexborHTMLParser) -> LexborNode | None:
    """The element around the main content; None if there is no body. Call it on a tree without hidden text."""
    body = tree.body
    if body is None:
        return None
    return _marked(body) or _chosen_by_trafilatura(tree, body) or body


def _marked(body: LexborNode) -> LexborNode | None:
    total = text_length(body)
    marks = [node for node in body.css("main,[role=main]") if text_length(node) >= max(_MIN_SHARE * total, 1)]
    if marks:
        main = max(marks, key=text_length)
        return _only_article(main, 0.5) or _with_title(main, body)
    return _only_article(body, 0.35)


def _with_title(main: LexborNode, body: LexborNode) -> LexborNode:
    """`main`, or if it has no title, the element around it and the page's only h1, which may be in a banner above."""
    titles = body.css("h1")
    if len(titles) != 1 or main.css_first("h1,h2") is not None:
        return main
    around = next((above for above in ancestors(main) if _contains(above, titles[0])), None)
    beside = text_length(around) - text_length(main) if around is not None else 0
    return around if around is not None and beside <= _MAX_BANNER_CHARS + 0.1 * text_length(main) else main


def _only_article(node: LexborNode, share: float) -> LexborNode | None:
    every = [each for each in node.css("article,[role=article]") if all(a.tag != "article" for a in ancestors(each))]
    articles = [article for article in every if not _is_teaser(article)]
    if len(articles) != 1:
        return None
    article = articles[0]
    teasers = sum(text_length(other) for other in every) - text_length(article)
    if text_length(article) < max(_MIN_CHARS, share * (text_length(node) - teasers)):
        return None
    title = node.css_first("h1")
    return article if title is None or article.css_first("h1") is not None else None


def _is_teaser(article: LexborNode) -> bool:
    """Whether the article is a card that links to another one."""
    return (
        text_length(article) < _MAX_TEASER_CHARS
        and article.css_first("a[href]") is not None
        and not article.css("h1,pre")
    )


def _chosen_by_trafilatura(tree: LexborHTMLParser, body: LexborNode) -> LexborNode | None:
    html = _SPAN.sub("", tree.html or "")
    if len(html) > _MAX_CHARS_TO_ASK:
        return None
    text = trafilatura.extract(
        html, fast=True, include_comments=False, include_tables=True, favor_recall=False, include_formatting=False
    )
    kept = _squash(text or "")
    if len(kept) < _MIN_CHARS:
        return None
    weights: dict[int, int] = {}
    total = 0
    for node in body.traverse(include_text=True):
        if not node.is_text_node:
            continue
        words = _squash(node.text_content or "")
        if len(words) < _MIN_PROBE_CHARS or words[:_PROBE_CHARS] not in kept:
            continue
        total += len(words)
        for above in ancestors(node):
            weights[above.mem_id] = weights.get(above.mem_id, 0) + len(words)
    return _smallest_around(body, weights, total) if total else None


def _smallest_around(body: LexborNode, weights: dict[int, int], total: int) -> LexborNode:
    node = body
    while True:
        heavy = [child for child in node.iter() if weights.get(child.mem_id, 0) >= _MOST_OF_IT * total]
        if not heavy or heavy[0].tag in {"p", "pre", "table", "tbody", "tr", "ul", "ol", "dl", "blockquote"}:
            return node
        title = node.css_first(_TITLES) or node.css_first("h2")
        if title is not None and not _contains(heavy[0], title):
            _remove_rails(heavy[0], weights)
            return node
        node = heavy[0]


def _remove_rails(content: LexborNode, weights: dict[int, int]) -> None:
    """Remove parts after `content` that are mostly links to elsewhere, if the element around it was chosen only for the
    title before it."""
    after = list(elements_behind(content))
    for rail in (each for each in after if weights.get(each.mem_id, 0) < 0.5 * text_length(each) and _is_rail(each)):
        rail.decompose()


def _is_rail(node: LexborNode) -> bool:
    if link_share(node) < _RAIL_LINK_SHARE:
        return False
    return not any(text_length(text) > _PROSE_CHARS and link_share(text) < 0.5 for text in node.css("p"))


def _contains(node: LexborNode, other: LexborNode) -> bool:
    return any(each.mem_id == node.mem_id for each in (other, *ancestors(other)))


def _squash(text: str) -> str:
    return _NOT_WORD.sub("", text).lower()

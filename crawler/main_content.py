"""Which element of a page holds its main content.

A page that marks it (<main>, role=main, a single <article>) is believed. Otherwise trafilatura says which text is
content, and the smallest element around that text is taken: trafilatura chooses, our own writer writes, so code,
tables and definition lists come out whole.
"""

import re

import trafilatura
from selectolax.lexbor import LexborHTMLParser, LexborNode

_MIN_CHARS = 120
_MIN_SHARE = 0.25  # of the page's text: below it a landmark is an empty shell that a script fills
_MOST_OF_IT = 0.9
_PROBE_CHARS = 60
_MIN_PROBE_CHARS = 12
_MAX_CHARS_TO_ASK = 1_500_000  # trafilatura's time grows with the page; above this the whole body is taken
_NOT_WORD = re.compile(r"[\W_]+")


def find_main_content(tree: LexborHTMLParser) -> LexborNode | None:
    """The element around the main content; call it on a tree without hidden text. None when there is no body."""
    body = tree.body
    if body is None:
        return None
    return _marked(body) or _chosen_by_trafilatura(tree, body) or body


def _marked(body: LexborNode) -> LexborNode | None:
    total = _size(body)
    marks = [node for node in body.css("main,[role=main]") if _size(node) >= max(_MIN_SHARE * total, 1)]
    if marks:
        main = max(marks, key=_size)
        return _only_article(main, 0.5) or main
    return _only_article(body, 0.35)


def _only_article(node: LexborNode, share: float) -> LexborNode | None:
    articles = [article for article in node.css("article,[role=article]") if not _is_within_article(article)]
    if len(articles) != 1:
        return None
    article = articles[0]
    if _size(article) < max(_MIN_CHARS, share * _size(node)):
        return None
    title = node.css_first("h1")
    return article if title is None or article.css_first("h1") is not None else None


def _is_within_article(node: LexborNode) -> bool:
    above = node.parent
    while above is not None:
        if above.tag == "article":
            return True
        above = above.parent
    return False


def _chosen_by_trafilatura(tree: LexborHTMLParser, body: LexborNode) -> LexborNode | None:
    html = tree.html or ""
    if len(html) > _MAX_CHARS_TO_ASK:
        return None
    text = trafilatura.extract(
        html, fast=True, include_comments=False, include_tables=True, favor_recall=True, include_formatting=False
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
        above = node.parent
        while above is not None:
            weights[above.mem_id] = weights.get(above.mem_id, 0) + len(words)
            above = above.parent
    return _smallest_around(body, weights, total) if total else None


def _smallest_around(body: LexborNode, weights: dict[int, int], total: int) -> LexborNode:
    node = body
    while True:
        heavy = [child for child in node.iter() if weights.get(child.mem_id, 0) >= _MOST_OF_IT * total]
        if not heavy or heavy[0].tag in {"p", "pre", "table", "tbody", "tr", "ul", "ol", "dl", "blockquote"}:
            return node
        title = node.css_first("h1") or node.css_first("h2")
        if title is not None and not _contains(heavy[0], title):
            return node
        node = heavy[0]


def _contains(node: LexborNode, other: LexborNode) -> bool:
    above: LexborNode | None = other
    while above is not None:
        if above.mem_id == node.mem_id:
            return True
        above = above.parent
    return False


def _size(node: LexborNode) -> int:
    return len("".join(node.text().split()))


def _squash(text: str) -> str:
    return _NOT_WORD.sub("", text).lower()

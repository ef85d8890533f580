"""Renders the Markdown of answers as HTML for operators, by the widget's rules and without anything that could harm a
page."""

import re
from collections.abc import Collection, Iterator, MutableMapping, Sequence
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup, escape

from app.core.text.answer_words import MARK

_EXCERPT_READ: Final = 1000
_EXCERPT_CHARS: Final = 200
_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})
# As in the widget's markdown_view.ts: "1,200.50", "3 %" or "€ 9". Longer cells count as text.
_NUMBER: Final = re.compile(r"[\W\d_]*\d[\d.,\s]*(?:[\W_]|EUR|USD|GBP)*")
_NUMBER_CHARS: Final = 40
_TASKS: Final = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}


def markdown_html(markdown: str, cited: Collection[int] = ()) -> Markup:
    """HTML is shown as text, an image as its alternative text, a heading as a bold line, because the page has its own
    headings. Links to anything but http:, https:, mailto: or tel: become text. `cited` are the numbers of sources,
    which are superscript."""
    tokens = _MARKDOWN.parse(markdown)
    _align_amounts(tokens)
    for at, token in enumerate(tokens):
        if token.type == "inline" and token.children:
            _tick_task(token.children[0], tokens[max(at - 2, 0)])
            token.children = [part for each in token.children for part in _with_numbers(each, cited)]
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))  # noqa: S704 it escapes what is no Markdown


def markdown_excerpt(markdown: str) -> Markup:
    """The beginning on one line, for lists: emphasis and code are rendered, links become text, and the contents of
    cells, items and paragraphs follow each other."""
    found: list[str] = []
    length = 0
    for token in _LINE.parse(markdown[:_EXCERPT_READ]):
        if token.type == "inline":
            signs = [each for each in token.children or () if each.type not in ("link_open", "link_close")]
            found.append(_LINE.renderer.render(signs, _LINE.options, {}))
        elif token.type in ("fence", "code_block"):
            found.append(f"<code>{escape(' '.join(token.content.split()))}</code>")
        length += len(token.content)
        if length >= _EXCERPT_CHARS:
            break
    return Markup(" · ".join(found))  # noqa: S704 the renderer escapes whatever is no Markdown


def _align_amounts(tokens: Sequence[Token]) -> None:
    """A column with at least half of its cells numeric is right-aligned, including its heading."""
    columns: list[list[tuple[Token, str]]] = []
    for token, inline in pairwise(tokens):
        if token.type == "table_open":
            columns = []
        elif token.type == "tr_open":
            at = 0
        elif token.type in ("th_open", "td_open"):
            token.attrs.pop("style", None)  # the pages' Content-Security-Policy blocks it
            columns += [[]] if at == len(columns) else []
            columns[at].append((token, inline.content))
            at += 1
        elif token.type == "inline" and not token.content and inline.type == "th_close":
            columns[-1][0][0].tag = inline.tag = "td"  # a heading without words is none
        elif token.type == "tbody_close":
            for column in columns:
                texts = [text for _, text in column[1:]]
                amounts = sum(len(text) <= _NUMBER_CHARS and bool(_NUMBER.fullmatch(text)) for text in texts)
                if amounts and amounts * 2 >= len(texts):
                    for cell, _ in column:
                        cell.attrSet("class", "amount")


def _tick_task(first: Token, item: Token) -> None:
    """A task list item has a checkbox instead of a bullet."""
    if item.type == "list_item_open" and first.content[:4] in _TASKS:
        first.content = _TASKS[first.content[:4]] + first.content[4:]
        item.attrSet("class", "task")


def _with_numbers(token: Token, cited: Collection[int]) -> Iterator[Token]:
    if token.type != "text":
        yield token
        return
    for at, part in enumerate(MARK.split(token.content)):
        if at % 2 and int(part) in cited:
            yield Token("cite", "", 0, content=part)
        elif part:
            yield Token("text", "", 0, content=f"[{part}]" if at % 2 else part)


class _Markdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 the library's name
        try:
            return urlsplit(url).scheme.lower() in _SCHEMES
        except ValueError:
            return False


class _Renderer(RendererHTML):
    def heading_open(self, *_: Any) -> str:
        return '<p class="drawn-heading">'

    def heading_close(self, *_: Any) -> str:
        return "</p>\n"

    def table_open(self, *_: Any) -> str:
        return '<div class="table" tabindex="0"><table>\n'

    def table_close(self, *_: Any) -> str:
        return "</table></div>\n"

    def fence(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: MutableMapping[str, Any]) -> str:
        language = tokens[index].info.split(maxsplit=1)[:1]
        named = f'<p class="code-language">{escape(language[0])}</p>' if language else ""
        return named + super().fence(tokens, index, options, env)

    def cite(self, tokens: Sequence[Token], index: int, *_: Any) -> str:
        return f'<sup class="cite">{tokens[index].content}</sup>'

    def link_open(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: MutableMapping[str, Any]
    ) -> str:
        tokens[index].attrSet("rel", "noreferrer noopener nofollow")
        return self.renderToken(tokens, index, options, env)


_MARKDOWN: Final = _Markdown("js-default", {"html": False, "breaks": True}, renderer_cls=_Renderer).disable("image")
_LINE: Final = _Markdown("js-default", {"html": False, "breaks": False}).disable("image")

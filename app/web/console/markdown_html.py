"""Markdown as operators read it: what answers are made of, and nothing that a page could be harmed by."""

from collections.abc import MutableMapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup, escape

_EXCERPT_READ: Final = 1000
_EXCERPT_CHARS: Final = 200
_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})


def markdown_html(markdown: str) -> Markup:
    """HTML is shown as the text that it is, a picture as its words, a heading as a line in bold: the page has headings
    of its own. A link leads to http:, https:, mailto: or tel:, and is a text otherwise."""
    return Markup(_MARKDOWN.render(markdown))  # noqa: S704 the renderer escapes whatever is no Markdown


def markdown_excerpt(markdown: str) -> Markup:
    """The beginning of it on one line, for lists: emphasis and code are drawn, links are text, and what stands in
    cells, items and paragraphs follows upon each other."""
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

    def link_open(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: MutableMapping[str, Any]
    ) -> str:
        tokens[index].attrSet("rel", "noreferrer noopener nofollow")
        return self.renderToken(tokens, index, options, env)


_MARKDOWN: Final = _Markdown("js-default", {"html": False, "breaks": True}, renderer_cls=_Renderer).disable("image")
_LINE: Final = _Markdown("js-default", {"html": False, "breaks": False}).disable("image")

"""Converts a page in Markdown to HTML, so that it is extracted like any other page."""

import re
from functools import cache
from html import escape
from typing import Final

from markdown_it import MarkdownIt

MARKDOWN_TYPES: Final = frozenset({"text/markdown", "text/x-markdown"})

_FRONT_MATTER: Final = re.compile(r"---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD: Final = re.compile(r"(title|description|lang|language)[ \t]*:[ \t]*(.*)", re.IGNORECASE)
_MODULE_LINE: Final = re.compile(r"(?:import|export)\s.{0,500}(?:from\s+['\"]|[{=;])")  # of MDX, before the text


def markdown_html(markdown: str) -> str:
    """The page as HTML, with `title`, `description` and `lang` of the front matter as those of the document."""
    text = markdown.replace("\r\n", "\n").removeprefix("\ufeff").lstrip("\n")
    front_matter: dict[str, str] = {}
    if front := _FRONT_MATTER.match(text):
        fields = (_FIELD.fullmatch(line.strip()) for line in front[1].split("\n"))
        front_matter = {field[1].lower(): field[2].strip().strip("\"'") for field in fields if field}
        text = text[front.end() :]
    body = _parser().render(_without_modules(text))
    language = escape(front_matter.get("lang") or front_matter.get("language", ""))
    return (
        f'<!doctype html><html lang="{language}"><head><title>{escape(front_matter.get("title", ""))}</title>'
        f'<meta name="description" content="{escape(front_matter.get("description", ""))}"></head>'
        f"<body><main>{body}</main></body></html>"
    )


def _without_modules(text: str) -> str:
    lines = text.split("\n")
    at = 0
    while at < len(lines) and (not lines[at].strip() or _MODULE_LINE.match(lines[at])):
        at += 1
    return "\n".join(lines[at:])


@cache
def _parser() -> MarkdownIt:
    """CommonMark with tables, strikethrough and raw HTML, whose hidden parts are removed later."""
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])

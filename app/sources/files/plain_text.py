"""Markdown and plain text, decoded, without what a reader cannot see; and a saved web page, read as the crawler reads
one.
"""

import re
from dataclasses import replace

from app.core.source_file import FileRefused
from crawler.decoding import decode_html
from crawler.errors import ExtractionFailed
from crawler.extract.extraction import extract_page
from crawler.extract.invisible_text import without_invisible
from crawler.extract.page import Page

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*+(\S(?:.*\S)?)", re.MULTILINE)
_FENCED = re.compile(r"^(?: {0,3})(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FIRST_HEADING = re.compile(r"^ {0,3}# ++(.*[^ \t#\n])", re.MULTILINE)
_MARKDOWN_LINE = re.compile(r"^([ \t]*)(#{1,6}(?=\s)|`{3,}|~{3,})", re.MULTILINE)


def decoded(body: bytes) -> str:
    """The file as text, with newlines alone at the end of lines; never raises."""
    return without_invisible(decode_html(body, None).replace("\f", "\n"))


def read_text(name: str, body: bytes) -> Page:
    text = decoded(body).strip("\n")
    return Page(url=name, canonical_url=name, title="", markdown=text if text.strip() else "")


def read_markdown(name: str, body: bytes) -> Page:
    """Convert Markdown. The title comes from the front matter, which is removed, like comments outside code: no reader
    of the page sees them."""
    text, title = decoded(body), ""
    if front := _FRONT_MATTER.match(text):
        text = text[front.end() :]
        if found := _FRONT_TITLE.search(front[1]):
            title = found[1].strip("\"'").strip()
    text = _without_comments(text).strip("\n")
    if not title and (heading := _FIRST_HEADING.search(_FENCED.sub("", text))):
        title = heading[1].strip()
    return Page(url=name, canonical_url=name, title=title, markdown=text if text.strip() else "")


def as_prose(text: str) -> str:
    """Text that is no Markdown, escaped so that nothing is read as a heading or fence."""
    return _MARKDOWN_LINE.sub(r"\1\\\2", text)


def _without_comments(text: str) -> str:
    kept: list[str] = []
    end = 0
    for fence in _FENCED.finditer(text):
        kept += [_COMMENT.sub("", text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*kept, _COMMENT.sub("", text[end:])])


# Links in the page may be relative; their targets do not matter here.
_NOWHERE = "https://file.invalid/"


def read_html(name: str, body: bytes) -> Page:
    """Convert a saved web page. Raises FileRefused."""
    try:
        page = extract_page(body, _NOWHERE, None)
    except ExtractionFailed as error:
        raise FileRefused(f"cannot be read: {error.reason}. Save it again.") from error
    title = "" if page.title == "file.invalid" else page.title
    return replace(page, url=name, canonical_url=name, title=title, links=())

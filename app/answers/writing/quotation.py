"""A page's own words, as an answer shows them, and the language that they are in."""

import re
from collections.abc import Collection, Iterable
from typing import Final

from app.core.text.canned_messages import canned_messages
from app.core.text.compounds import cut_anyhow
from app.core.text.language_names import own_name
from app.core.text.markdown.blocks import Block, BlockKind, blocks, lines_with_code, table_rows
from app.core.text.markdown.links import TextLink, as_markdown, linked
from app.core.text.markdown.table import cells
from app.kit.language_guesser import LanguageGuesser

_CODE_SPAN = re.compile(r"(`[^`\n]++`)")
_LINK = re.compile(r"!?\[([^\[\]\n]*+)\]\([^()\s]*+\)")
_ADDRESS = re.compile(
    r"<?(\b[a-z][a-z0-9+.-]{1,20}://(?:[^\s<>`)\]]*[^\s<>`)\].,;:!?'\"*])?"
    r"|(?:\bwww\.|(?<![:\w/])//(?=[^\s/]*\.))[^\s<>`)\]]*[^\s<>`)\].,;:!?'\"*])>?",
    re.IGNORECASE,
)
_BRACKETED_NUMBER = re.compile(r"\[(\d{1,3})\]")
_GUESSER: Final = LanguageGuesser()


def word_for_word(text: str, links: Iterable[TextLink] = ()) -> str:
    """The page's text with nothing to click but its `links`: others become their text, addresses become code. A page's
    own [3] becomes (3), because it is not our citation."""
    quoted = "\n".join(line if is_code else _unlinked(line) for line, is_code in lines_with_code(text))
    return linked(quoted, links, _quoted_link)


def _quoted_link(label: str, target: str) -> str:
    """A mail address or telephone number behind other words is shown as well: not everybody can open a link to one."""
    scheme, _, address = target.partition(":")
    if scheme.lower() not in ("mailto", "tel") or _letters(address) in _letters(label):
        return as_markdown(label, target)
    return f"{label} ({as_markdown(address, target)})"


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def asked_rows(text: str, names: Collection[str]) -> str:
    """The text with only those rows of its tables whose first cell has one of the `names`, which are case-folded. A
    table without such a row stays whole."""
    if not names or "|" not in text:
        return text
    named = re.compile("|".join(rf"(?<![\w-]){cut_anyhow(name)}(?![\w-])" for name in sorted(names)))
    for block in blocks(text):
        if block.kind is BlockKind.TABLE:
            text = text.replace(block.text, _with_rows(block, named))
    return text


def page_language(quoted: Iterable[tuple[str | None, str]], language: str | None, *, of_sections: bool = False) -> str:
    """A sentence in `language`, the visitor's (BCP 47 primary subtag), for each other language of the quoted texts that
    has a name in it; "" if there is none, or the visitor's is not known. `quoted` has the language of each text's page,
    None if it is not known."""
    if not language:
        return ""
    others = dict.fromkeys(page for page, text in quoted if page and _is_in(page, text, language))
    words = canned_messages(language)
    notice = words.sections_language if of_sections else words.page_language
    return " ".join(notice.replace("{language}", name) for page in others if (name := own_name(page, language)))


def _unlinked(line: str) -> str:
    parts = _CODE_SPAN.split(line)
    parts[::2] = (_ADDRESS.sub(r"`\1`", _BRACKETED_NUMBER.sub(r"(\1)", _LINK.sub(r"\1", part))) for part in parts[::2])
    return "".join(parts)


def _with_rows(table: Block, named: re.Pattern[str]) -> str:
    header, rows = table_rows(table.text)
    asked = [row for row in rows if named.search(cells(row.strip())[0].casefold())]
    return "\n".join([header, *(asked or rows)])


def _is_in(page: str, text: str, visitor: str) -> bool:
    """Whether the text is in the page's language, not the visitor's: many German pages are declared as English."""
    return page != visitor and [each.language for each in _GUESSER.rank(text, {page, visitor})][:1] == [page]

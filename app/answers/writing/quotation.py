"""How a passage is quoted: with the text around it that belongs to it and without text about something else, in the
page's own words, with the language that they are in."""

import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from app.answers.writing.passages import (
    LONGEST_PASSAGE,
    SHORTEST_PASSAGE,
    Passage,
    Piece,
    are_steps,
    has_code,
    has_steps,
    length,
)
from app.core.text.answer_words import MARK
from app.core.text.canned_messages import canned_messages
from app.core.text.compounds import cut_anyhow
from app.core.text.language_names import own_name
from app.core.text.markdown.blocks import (
    ITEM_SIGN,
    Block,
    BlockKind,
    announces,
    blocks,
    lines_with_code,
    list_items,
    table_rows,
)
from app.core.text.markdown.links import TextLink, as_markdown, linked
from app.core.text.markdown.table import cells
from app.core.text.sentences import points_back, sentences
from app.kit.language_guesser import LanguageGuesser

_LONGEST_LINE = 200
_LEAST_LEFT = 150  # characters: a line alone seldom answers, however near it is
_FAR = 0.2  # cosine below that of the nearest piece
_ITEM_MARK = re.compile(rf"\A\s*+{ITEM_SIGN}[ \t]++(?:\[[ xX]\][ \t]++)?")
_CODE_SPAN = re.compile(r"(`[^`\n]++`)")
_LINK = re.compile(r"!?\[([^\[\]\n]*+)\]\([^()\s]*+\)")
_ADDRESS = re.compile(
    r"<?(\b[a-z][a-z0-9+.-]{1,20}://(?:[^\s<>`)\]]*[^\s<>`)\].,;:!?'\"*])?"
    r"|(?:\bwww\.|(?<![:\w/])//(?=[^\s/]*\.))[^\s<>`)\]]*[^\s<>`)\].,;:!?'\"*])>?",
    re.IGNORECASE,
)
_GUESSER: Final = LanguageGuesser()


def extended(passage: Passage, max_chars: int) -> Passage:
    """All of its section if that fits `max_chars`. Else the passage and what follows it within them.

    Steps right before or after a passage without steps are included, whatever their length, because a paragraph about
    steps is useless without them, and code right before it if that fits, because the text refers to it.
    """
    pieces, start, end = passage.pieces, passage.start, passage.end
    if length(pieces) <= max_chars:
        return replace(passage, start=0, end=len(pieces))
    first = _unit_start(pieces, start)
    if length(pieces[first : start + 1]) <= max_chars:
        while first < start and length(pieces[first:end]) > max_chars:
            end -= 1
        start = first
    if end < len(pieces) and are_steps(pieces[end]) and not any(map(are_steps, pieces[start:end])):
        end += 1
    if start and has_code(pieces[start - 1]) and length(pieces[start - 1 : end]) <= max_chars:
        start -= 1
    while end < len(pieces) and length(pieces[start : end + 1]) <= max_chars:
        end += 1
    if start and are_steps(pieces[start - 1]) and not any(map(are_steps, pieces[start:end])):
        start -= 1
    return replace(passage, start=start, end=end)


def _unit_start(pieces: Sequence[Piece], at: int) -> int:
    """The first piece with the same introduction: a long unit is cut into pieces that each repeat it."""
    while at and len(pieces[at]) > 1 and pieces[at - 1][0] is pieces[at][0]:
        at -= 1
    return at


def with_code(passage: Passage) -> Passage:
    """Append the short code that follows closely, if there is none: a command's description alone helps little."""
    pieces, end = passage.pieces, passage.end
    if any(map(has_code, passage.own_pieces)):
        return passage
    for at in range(end, len(pieces)):
        if has_code(pieces[at]) and length(pieces[end : at + 1]) <= LONGEST_PASSAGE:
            return replace(passage, end=at + 1)
    return passage


def completed(passage: Passage, max_chars: int) -> Passage:
    """If the last line announces something, append that if it fits. Else, or if it is under another heading, drop the
    line, unless it is all there is."""
    pieces, start, end = passage.pieces, passage.start, passage.end
    last = pieces[end - 1][-1]
    below = next((block for block in itertools.chain(*pieces[end : end + 1]) if block is not last), None)
    if not (announces(last, below) if below else last.is_lead_in and not last.is_term):
        return passage
    if below and length(pieces[start : end + 1]) <= max_chars:
        return replace(passage, end=end + 1)
    return replace(passage, end=max(start + 1, end - 1))


def in_page_order(first: Passage, second: Passage) -> list[Passage]:
    """Both, in the page's order if they are of one section: "This means" follows what it is about. Neighbours become
    one passage. The rest of a definition stays first, because its term is shown above it."""
    if first.pieces is not second.pieces or first.within:
        return [first, second]
    upper, lower = sorted((first, second), key=lambda passage: passage.start)
    return [replace(upper, end=lower.end)] if upper.end == lower.start else [upper, lower]


def without_far_ends(passage: Passage, nearness: Sequence[float]) -> Passage:
    """Cut what is at either end and much less near to the question than the nearest piece. `nearness` has the cosine of
    the question and each piece.

    Code and steps stay, because they seldom say what they are for, and so does text without which too little would be
    left."""
    pieces, least = passage.own_pieces, max(nearness) - _FAR
    staying = [at for at, piece in enumerate(pieces) if nearness[at] >= least or has_steps(piece) or has_code(piece)]
    first, last = _unit_start(pieces, staying[0]), staying[-1]
    while last + 1 < len(pieces) and length(pieces[first : last + 1]) < _LEAST_LEFT:
        last += 1
    while first and length(pieces[first : last + 1]) < _LEAST_LEFT:
        first -= 1
    return replace(passage, start=passage.start + first, end=passage.start + last + 1)


def single_lines(passage: Passage) -> list[Passage]:
    """The sentences and list items of a passage that make sense alone and fit a line, each as a passage."""
    texts = [
        text
        for piece in passage.own_pieces
        for block in piece
        for text in _sayings(block)
        if SHORTEST_PASSAGE <= len(text) <= _LONGEST_LINE and "\n" not in text and not text.endswith(":")
    ]
    return [
        replace(passage, pieces=((Block(BlockKind.PARAGRAPH, text),),), start=0, end=1)
        for text in texts
        if not points_back(text)
    ]


def _sayings(block: Block) -> list[str]:
    match block.kind:
        case BlockKind.PARAGRAPH:
            return sentences(block.text)
        case BlockKind.LIST:
            return [_ITEM_MARK.sub("", item) for item in list_items(block.text)]
        case _:
            return []


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


def matching_rows(text: str, names: Collection[str]) -> str:
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
    parts[::2] = (_ADDRESS.sub(r"`\1`", MARK.sub(r"(\1)", _LINK.sub(r"\1", part))) for part in parts[::2])
    return "".join(parts)


def _with_rows(table: Block, named: re.Pattern[str]) -> str:
    header, rows = table_rows(table.text)
    asked = [row for row in rows if named.search(cells(row.strip())[0].casefold())]
    return "\n".join([header, *(asked or rows)])


def _is_in(page: str, text: str, visitor: str) -> bool:
    """Whether the text is in the page's language, not the visitor's: many German pages are declared as English."""
    return page != visitor and [each.language for each in _GUESSER.rank(text, {page, visitor})][:1] == [page]

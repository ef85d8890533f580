"""The filters of the templates, which format values and render Markdown."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, MutableMapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from typing import Any, Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup, escape

from app.core.turn import AnsweredBy, Citation

# Renders the Markdown of answers as HTML for operators, by the widget's rules and without anything that could harm a
# page.
_EXCERPT_READ: Final = 1000
_EXCERPT_CHARS: Final = 200
_SCHEMES: Final = frozenset({"http", "https", "mailto", "tel"})
# As in the widget's markdown_view.ts: "1,200.50", "3 %" or "€ 9". Longer cells count as text.
_NUMBER: Final = re.compile(r"[\W\d_]*\d[\d.,\s]*(?:[\W_]|EUR|USD|GBP)*")
_NUMBER_CHARS: Final = 40
_CITED: Final = re.compile(r"\[(\d{1,3})\]")
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
    for at, part in enumerate(_CITED.split(token.content)):
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


_STEPS = ((timedelta(days=365), "year"), (timedelta(days=30), "month"), (timedelta(days=7), "week"))
_FINE_STEPS = ((timedelta(days=1), "day"), (timedelta(hours=1), "hour"), (timedelta(minutes=1), "minute"))


def ago(then: datetime, now: datetime) -> str:
    """Such as "3 days ago"."""
    passed = now - then
    for length, name in (*_STEPS, *_FINE_STEPS):
        count = passed // length
        if count >= 1:
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return "just now" if passed >= timedelta(0) else moment(then)


def moment(then: datetime) -> str:
    return f"{then:%Y-%m-%d %H:%M} UTC"


def day(then: datetime) -> str:
    return f"{then:%Y-%m-%d}"


def percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def in_percent(share: float) -> str:
    """As the value of a field, with all digits."""
    return f"{share * 100:.10g}"


def number(value: float | None) -> str:
    """With separators for thousands, and no insignificant digits."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}".rstrip("0").rstrip(".")


def size(count_of_bytes: int) -> str:
    """Such as "20 MiB" or "1.5 KiB"."""
    for unit, length in (("MiB", 1024**2), ("KiB", 1024)):
        if count_of_bytes >= length:
            return f"{count_of_bytes / length:.3g} {unit}"
    return plural(count_of_bytes, "byte")


def words(name: str) -> str:
    """A code such as "low_confidence" in words."""
    return name.replace("_", " ")


WRITERS: Final = {
    AnsweredBy.CURATED: "Curated answer",
    AnsweredBy.MODEL: "Chat model",
    AnsweredBy.EXTRACTIVE: "Quoted from pages",
    AnsweredBy.FALLBACK: "Found nothing",
    AnsweredBy.HANDOFF: "Handed over",
    AnsweredBy.SMALL_TALK: "Small talk",
    AnsweredBy.CLARIFICATION: "Asked back",
}


def plural(count: int, one: str, many: str = "") -> str:
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


# Besides control, format, private and unassigned characters: letters that look like blanks, and joiners.
_UNSEEN: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_UNSEEN_KINDS: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_LINES: Final = frozenset("\n\t")


def revealed(text: str) -> list[tuple[str, str]]:
    """The text in parts: (visible text, ""), or for each invisible character ("U+200B", its name in Unicode)."""
    parts: list[tuple[str, str]] = []
    for is_unseen, signs in groupby(text, _is_unseen):
        if is_unseen:
            parts += [(f"U+{ord(sign):04X}", unicodedata.name(sign, "no character")) for sign in signs]
        else:
            parts.append(("".join(signs), ""))
    return parts


def _is_unseen(sign: str) -> bool:
    is_selector = "\ufe00" <= sign <= "\ufe0f" or "\U000e0100" <= sign <= "\U000e01ef"
    return sign not in _LINES and (is_selector or sign in _UNSEEN or unicodedata.category(sign) in _UNSEEN_KINDS)


def excerpt(markdown: str) -> str:
    from app.web.console.filters import markdown_excerpt  # only some pages need it

    return markdown_excerpt(markdown)


def drawn(markdown: str, citations: Iterable[Citation] = ()) -> str:
    from app.web.console.filters import markdown_html

    return markdown_html(markdown, {each.id for each in citations})


_ROW_OR_CELL: Final = re.compile(r"<(tr|td|th)\b")


def labelled(rows: str, heads: Sequence[str]) -> Markup:
    """A table's rows with a label on each cell, for narrow screens on which rows are cards. Roles are explicit, because
    some browsers drop them when a table is styled differently."""
    at = iter(heads)

    def marked(found: re.Match[str]) -> str:
        nonlocal at
        if found[1] == "tr":
            at = iter(heads)
            return '<tr role="row"'
        head = next(at, "")
        if found[1] == "th":
            return '<th role="rowheader"'
        label = head.lstrip(">")
        return f'<td role="cell" data-label="{escape(label)}"' if label else '<td role="cell"'

    return Markup(_ROW_OR_CELL.sub(marked, rows))  # noqa: S704 (rows are a template's own markup)


FILTERS: dict[str, Callable[..., object]] = {
    "moment": moment,
    "day": day,
    "percent": percent,
    "in_percent": in_percent,
    "excerpt": excerpt,
    "markdown": drawn,
    "number": number,
    "words": words,
    "writer": WRITERS.__getitem__,
    "plural": plural,
    "size": size,
    "labelled": labelled,
    "revealed": revealed,
}

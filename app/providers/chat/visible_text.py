"""Separates the part of a model's streamed text that is for readers from its reasoning and its template's tokens; and
collects its calls of tools, of which each piece names its call.

Servers with a parser for their model send its reasoning in a field of its own. Others leave it in the text, between
tags or as a channel of the model's template, or drop the tokens that open it: then only the closing tag is left, or a
channel's bare name. Tokens of the template are left in the text too. In code, all of these are text like any other.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.core.text.answer_words import words_of
from app.providers.chat.chat_model import ToolCall

_MOST_CALLS: Final = 16
_MOST_CHARS: Final = 20_000  # in the arguments of one call


@dataclass(slots=True)
class _Begun:
    index: Any
    id: str
    name: str
    arguments: str


class WrittenCalls:
    """Collects the tool calls of one answer: feed it every delta. A call that exceeds the bounds is dropped."""

    def __init__(self) -> None:
        self._begun: list[_Begun] = []

    def feed(self, delta: Mapping[str, Any]) -> None:
        for piece in delta.get("tool_calls") or ():
            function = piece.get("function") or {}
            call = self._call(piece.get("index"), str(piece.get("id") or ""), str(function.get("name") or ""))
            if call is not None:
                call.arguments += str(function.get("arguments") or "")[: _MOST_CHARS + 1 - len(call.arguments)]

    @property
    def whole(self) -> tuple[ToolCall, ...]:
        """The complete calls, in the order in which they began."""
        return tuple(
            ToolCall(each.name, each.arguments)
            for each in self._begun
            if each.name and len(each.arguments) <= _MOST_CHARS
        )

    def _call(self, index: Any, id_: str, name: str) -> _Begun | None:
        """The call that a piece belongs to, begun if it is new. Some endpoints give all calls the same index, or none,
        and tell them apart by id."""
        for known in reversed(self._begun):
            if known.index == index and (not id_ or known.id == id_):
                return known
        if len(self._begun) == _MOST_CALLS or not (id_ or name):
            return None
        self._begun.append(_Begun(index, id_, name, ""))
        return self._begun[-1]


_TAG_NAMES: Final = "think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|seed:think"
_OPENING: Final = (
    rf"<(?:{_TAG_NAMES})\b[^<>\n]{{0,60}}>|\[THINK\]|◁think▷|<\|begin_of_(?:thought|thinking)\|>|<\|channel>"
)
_CLOSING: Final = rf"</(?:{_TAG_NAMES})\s*>|\[/THINK\]|◁/think▷|<\|end_of_(?:thought|thinking)\|>|<channel\|>"
_SPECIAL: Final = (
    r"<[|｜](?P<token>[^\s<>|｜]{1,40})[|｜]>|</?s>|<(?P<turn>start_of_turn)>|<end_of_turn>|<[be]os>|\[/?INST\]"
)
_FINAL_CHANNEL: Final = "assistantfinal"  # what is left of the tokens between two channels
_BARE_CHANNEL: Final = re.compile(r"analysis(?=[A-Z])")
_MARK: Final = re.compile(
    rf"(?P<opening>{_OPENING})|(?P<closing>{_CLOSING})|(?P<special>{_SPECIAL})|(?P<final>{_FINAL_CHANNEL})"
    r"|(?P<code>`+)|(?P<line>\n)",
    re.IGNORECASE,
)
_TAGS: Final = (*_TAG_NAMES.replace("?", "").split("|"), "s>", "start_of_turn>", "end_of_turn>", "eos>", "bos>")
_BEGINNINGS: Final = (
    *(f"<{slash}{name}" for slash in ("", "/") for name in _TAGS),
    *("[think]", "[/think]", "[inst]", "[/inst]", "◁think▷", "◁/think▷", "<channel|>"),
)
_MAY_GROW: Final = re.compile(
    rf"<[|｜][^\s<>|｜]{{0,40}}[|｜]?\Z|</?(?:{_TAG_NAMES})[^<>\n]{{0,60}}\Z|(?<!`)`++\Z", re.IGNORECASE
)
_LONGEST_BEGINNING: Final = max(map(len, (*_BEGINNINGS, _FINAL_CHANNEL)))
_OF_A_BEGINNING: Final = re.compile(r"[<\[◁]")
_OF_A_MARK: Final = re.compile(r"[<\[◁`\n]")
_BEGIN_HEADER: Final = frozenset({"channel", "start", "im_start", "start_header_id", "start_of_turn"})
_END_OF_HEADER: Final = frozenset({"message", "end_header_id"})
_OUR_ROLES: Final = ("assistant", "model")
_READ_TO_TELL: Final = 240  # characters at the beginning, within which reasoning mentions its task


class VisibleText:
    """Filters one answer: feed it the model's text, and it returns what readers may see.

    An answer that begins like reasoning is held back until a closing tag or its end; with `is_held`, any answer is.
    `closed_alone` is set by a closing tag that nothing had opened: the next answer of the same model should be held.
    """

    def __init__(self, *, is_held: bool = False) -> None:
        self.closed_alone = False
        self._expects_closing = is_held
        self._pending = ""
        self._held: str | None = ""  # the beginning, until it is clear whether it is reasoning; then None
        self._is_hidden = False
        self._is_after_hidden = False
        self._header: str | None = None  # what was read so far of a role or a channel's name
        self._is_role_line = False
        self._code = ""  # the run of backticks that opened the code we are in

    @property
    def is_thinking(self) -> bool:
        """Whether the text that comes next is known to be reasoning."""
        return self._is_hidden or self._expects_closing

    def feed(self, text: str) -> str:
        if self._is_plain and not self._pending and not _OF_A_MARK.search(text):
            return text
        self._pending += text
        return self._taken(self._whole_length())

    @property
    def _is_plain(self) -> bool:
        """Whether text without a mark can be shown as it is, because the answer has begun."""
        return self._held is None and self._header is None and not (self._is_hidden or self._is_after_hidden)

    def close(self) -> str:
        """End the text; return the rest of what is visible."""
        shown = self._taken(len(self._pending))
        held, self._held = self._held, None
        return (held or "") + shown

    def break_off(self) -> str:
        """End a text that broke off: a beginning held back as reasoning stays hidden, because it may be reasoning."""
        if self._held and _opens(self._held.lstrip().lower()):
            self._held = ""
        return self.close()

    def _whole_length(self) -> int:
        """The length of the pending text before a mark that may still be incomplete."""
        text = self._pending
        if grows := _MAY_GROW.search(text):
            return grows.start()
        end = text[-_LONGEST_BEGINNING:].lower()
        begins = [(found.start(), _BEGINNINGS) for found in _OF_A_BEGINNING.finditer(end)]
        if self._held:
            begins = sorted([*begins, *((at, (_FINAL_CHANNEL,)) for at, letter in enumerate(end) if letter == "a")])
        for at, beginnings in begins:
            if any(beginning.startswith(end[at:]) for beginning in beginnings):
                return len(text) - len(end) + at
        return len(text)

    def _taken(self, length: int) -> str:
        text, self._pending = self._pending[:length], self._pending[length:]
        shown, start = "", 0
        for mark in _MARK.finditer(text):
            shown += self._shown_text(text[start : mark.start()])
            start = mark.end()
            shown += self._marked(mark)
        return shown + self._shown_text(text[start:])

    def _marked(self, mark: re.Match[str]) -> str:
        kind = mark.lastgroup if mark.lastgroup not in {"token", "turn"} else "special"
        if kind in {"code", "line"}:
            return self._beside_code(mark.group())
        if self._code or (kind == "final" and not _BARE_CHANNEL.match((self._held or "").lstrip())):
            return self._shown_text(mark.group())
        if kind == "opening":
            self._is_hidden = True
        elif kind == "special":
            self._take_token((mark["token"] or mark["turn"] or "").lower().replace("▁", "_"))
        else:
            self._take_closing()
        return ""

    def _beside_code(self, mark: str) -> str:
        if self._header is not None and mark == "\n" and self._is_role_line:
            self._end_header()
            return ""
        if not self._is_hidden:
            if mark == "\n":
                self._code = self._code if len(self._code) > 2 else ""
            elif not self._code:
                self._code = mark
            elif mark == self._code:
                self._code = ""
        return self._shown_text(mark)

    def _take_closing(self) -> None:
        if not self._is_hidden:
            self.closed_alone = True
            self._held = None if self._held is None else ""
        self._is_hidden, self._is_after_hidden, self._expects_closing = False, True, False

    def _take_token(self, token: str) -> None:
        if token in _END_OF_HEADER and self._header is not None:
            self._end_header()
        elif token in _BEGIN_HEADER:
            self._header, self._is_role_line = "", token in {"im_start", "start_of_turn"}

    def _end_header(self) -> None:
        name, self._header = (self._header or "").strip().lower(), None
        self._is_hidden = not name.startswith(("final", *_OUR_ROLES))
        self._is_after_hidden = True

    def _shown_text(self, text: str) -> str:
        if self._header is not None:
            self._header += text
            return ""
        if self._is_hidden:
            return ""
        if self._is_after_hidden:
            text = text.lstrip()
            self._is_after_hidden = not text
        if self._held is None or not text:
            return text
        self._held += text
        if self._expects_closing or _may_be_reasoning(self._held.lstrip()):
            return ""
        text, self._held = self._held, None
        return text


def _may_be_reasoning(text: str) -> bool:
    """Whether a text that begins like this may be reasoning: it opens by thinking aloud, and soon mentions the task."""
    small = text.lower()
    if _BARE_CHANNEL.match(text) or "analysis".startswith(small):
        return True
    if not _opens(small) and not any(word.startswith(small) for word in words_of("reasoning", "opens")):
        return False
    return len(small) < _READ_TO_TELL or any(word in small for word in words_of("reasoning", "speaks"))


def _opens(small: str) -> bool:
    return small.startswith(words_of("reasoning", "opens"))

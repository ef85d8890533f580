"""Separates the part of a model's streamed text that is for readers from its reasoning and its template's tokens.

Servers with a parser for their model send its reasoning in a field of its own. Others leave it in the text, between
tags or as a channel of the model's template, or drop the tokens that open it: then only the closing tag is left, or a
channel's bare name. Tokens of the template are left in the text too. In code, all of these are text like any other.

    answer     shown                   opening tag -> reasoning
    reasoning  hidden                  closing tag -> blanks
    blanks     white space is dropped  any other text -> answer

A header of the template, a role or a channel's name, may interrupt each of them; its name decides what comes after it.
The answer's beginning is held back while it may be reasoning that no tag has opened.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from app.core.text.answer_words import words_of
from app.core.text.markdown.blocks import StreamedCode

# Tags of reasoning and tokens of chat templates; also runs of backticks and line breaks, because in code all of these
# marks are text like any other.
_TAG_NAMES: Final = "think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|seed:think"
_OPENING: Final = (
    rf"<(?:{_TAG_NAMES})\b[^<>\n]{{0,60}}>|\[THINK\]|◁think▷|<\|begin_of_(?:thought|thinking)\|>|<\|channel>"
)
_CLOSING: Final = rf"</(?:{_TAG_NAMES})\s*>|\[/THINK\]|◁/think▷|<\|end_of_(?:thought|thinking)\|>|<channel\|>"
_TEMPLATE: Final = (
    r"<[|｜](?P<name>[^\s<>|｜]{1,40})[|｜]>|</?s>|<(?P<turn>start_of_turn)>|<end_of_turn>|<[be]os>|\[/?INST\]"
)
_FINAL_CHANNEL: Final = "assistantfinal"  # what is left of the tokens between two channels

# The name of the outermost group is the mark's kind. `name` and `turn` are a token's own name.
_MARK: Final = re.compile(
    rf"(?P<opening>{_OPENING})|(?P<closing>{_CLOSING})|(?P<template>{_TEMPLATE})|(?P<final>{_FINAL_CHANNEL})"
    r"|(?P<code>`+|\n)",
    re.IGNORECASE,
)
_BEGINS_A_MARK: Final = re.compile(r"[<\[◁`\n]")  # any mark but that of the final channel

_TAGS: Final = (*_TAG_NAMES.replace("?", "").split("|"), "s>", "start_of_turn>", "end_of_turn>", "eos>", "bos>")
_FIXED: Final = (
    *(f"<{slash}{name}" for slash in ("", "/") for name in _TAGS),
    *("[think]", "[/think]", "[inst]", "[/inst]", "◁think▷", "◁/think▷", "<channel|>"),
)
_MAY_GROW: Final = re.compile(
    rf"<[|｜][^\s<>|｜]{{0,40}}[|｜]?\Z|</?(?:{_TAG_NAMES})[^<>\n]{{0,60}}\Z|(?<!`)`++\Z", re.IGNORECASE
)
_LONGEST_FIXED: Final = max(map(len, (*_FIXED, _FINAL_CHANNEL)))
_BEGINS_FIXED: Final = re.compile(r"[<\[◁]")
_BEGINS_FIXED_OR_FINAL: Final = re.compile(r"[<\[◁a]")

_BARE_CHANNEL: Final = re.compile(r"analysis(?=[A-Z])")
_HEADER_ENDS_WITH_LINE: Final = {  # by the name of the token that begins it
    "im_start": True,
    "start_of_turn": True,
    "channel": False,
    "start": False,
    "start_header_id": False,
}
_ENDS_HEADER: Final = frozenset({"message", "end_header_id"})
_FOR_READERS: Final = ("final", "assistant", "model")  # channels and roles
_Part = Literal["answer", "reasoning", "blanks"]  # what the text that comes next is
_READ_TO_TELL: Final = 240  # characters at the beginning, within which reasoning mentions its task


@dataclass(slots=True)
class _Header:
    ends_with_line: bool  # else with a token
    name: str = ""


@dataclass(slots=True)
class _Beginning:
    """The beginning of an answer, held back until it is clear whether it is reasoning: by a closing tag or the answer's
    end, or by its words if it is only `doubtful`."""

    state: Literal["reasoning", "doubtful", "shown"]
    held: str = ""

    def take(self, text: str) -> str:
        """What may be shown now, if `text` is what comes next of the answer."""
        if self.state == "shown" or not text:
            return text
        self.held += text
        return "" if self.state == "reasoning" or _may_be_reasoning(self.held.lstrip()) else self.show()

    def show(self) -> str:
        held, self.held, self.state = self.held, "", "shown"
        return held


class VisibleText:
    """Filters one answer: feed it the model's text, and it returns what readers may see.

    An answer that begins like reasoning is held back until a closing tag or its end; with `is_held`, any answer is.
    `closed_alone` is set by a closing tag that nothing had opened: the next answer of the same model should be held.
    """

    def __init__(self, *, is_held: bool = False) -> None:
        self.closed_alone = False
        self._beginning = _Beginning("reasoning" if is_held else "doubtful")
        self._part: _Part = "answer"
        self._header: _Header | None = None
        self._code = StreamedCode()
        self._pending = ""

    @property
    def is_thinking(self) -> bool:
        """Whether the text that comes next is known to be reasoning."""
        return self._part == "reasoning" or self._beginning.state == "reasoning"

    def feed(self, text: str) -> str:
        is_plain = self._part == "answer" and self._header is None and self._beginning.state == "shown"
        if is_plain and not self._pending and not _BEGINS_A_MARK.search(text):
            return text
        self._pending += text
        return self._read(_whole_length(self._pending, may_be_final=bool(self._beginning.held)))

    def close(self) -> str:
        """End the text; return the rest of what is visible."""
        shown = self._read(len(self._pending))
        return self._beginning.show() + shown

    def break_off(self) -> str:
        """End a text that broke off: a beginning held back as reasoning stays hidden, because it may be reasoning."""
        if _opens(self._beginning.held.lstrip().lower()):
            self._beginning.held = ""
        return self.close()

    def _read(self, length: int) -> str:
        text, self._pending = self._pending[:length], self._pending[length:]
        shown, start = "", 0
        for mark in _MARK.finditer(text):
            shown += self._read_text(text[start : mark.start()]) + self._read_mark(mark)
            start = mark.end()
        return shown + self._read_text(text[start:])

    def _read_text(self, text: str) -> str:
        if self._header is not None:
            self._header.name += text
            return ""
        if self._part == "reasoning":
            return ""
        if self._part == "blanks":
            text = text.lstrip()
            self._part = "answer" if text else "blanks"
        return self._beginning.take(text)

    def _read_mark(self, mark: re.Match[str]) -> str:
        if mark.lastgroup == "code":
            return self._read_code(mark.group())
        is_text = mark.lastgroup == "final" and not _BARE_CHANNEL.match(self._beginning.held.lstrip())
        if is_text or self._code.opened_by:
            return self._read_text(mark.group())
        if mark.lastgroup == "opening":
            self._part = "reasoning"
        elif mark.lastgroup == "template":
            self._read_token(_token_name(mark))
        else:
            self._end_reasoning()
        return ""

    def _read_code(self, mark: str) -> str:
        if mark == "\n" and self._header is not None and self._header.ends_with_line:
            self._end_header(self._header)
            return ""
        if self._part != "reasoning":
            self._code.feed(mark)
        return self._read_text(mark)

    def _read_token(self, name: str) -> None:
        if name in _HEADER_ENDS_WITH_LINE:
            self._header = _Header(_HEADER_ENDS_WITH_LINE[name])
        elif name in _ENDS_HEADER and self._header is not None:
            self._end_header(self._header)

    def _end_header(self, header: _Header) -> None:
        is_for_readers = header.name.strip().lower().startswith(_FOR_READERS)
        self._part = "blanks" if is_for_readers else "reasoning"
        self._header = None

    def _end_reasoning(self) -> None:
        if self._part != "reasoning":  # what came before was reasoning that nothing had opened
            self.closed_alone = True
            self._beginning.held = ""
        if self._beginning.state == "reasoning":
            self._beginning.state = "doubtful"
        self._part = "blanks"


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


def _token_name(mark: re.Match[str]) -> str:
    """The name of a template's token in lower case, "" if it has none that matters."""
    return (mark["name"] or mark["turn"] or "").lower().replace("▁", "_")


def _whole_length(text: str, *, may_be_final: bool) -> int:
    """The length of the text before a mark at its end that may still be incomplete. With `may_be_final`, that of the
    final channel counts too."""
    if grows := _MAY_GROW.search(text):
        return grows.start()
    end = text[-_LONGEST_FIXED:].lower()
    for begins in (_BEGINS_FIXED_OR_FINAL if may_be_final else _BEGINS_FIXED).finditer(end):
        rest = end[begins.start() :]
        if any(fixed.startswith(rest) for fixed in ((_FINAL_CHANNEL,) if rest[0] == "a" else _FIXED)):
            return len(text) - len(rest)
    return len(text)

"""The marks that models leave in their text: tags of reasoning, and tokens of chat templates.

Also runs of backticks and line breaks, because in code all of these marks are text like any other.
"""

import re
from typing import Final

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
MARK: Final = re.compile(
    rf"(?P<opening>{_OPENING})|(?P<closing>{_CLOSING})|(?P<template>{_TEMPLATE})|(?P<final>{_FINAL_CHANNEL})"
    r"|(?P<code>`+|\n)",
    re.IGNORECASE,
)
BEGINS_A_MARK: Final = re.compile(r"[<\[◁`\n]")  # any mark but that of the final channel

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


def token_name(mark: re.Match[str]) -> str:
    """The name of a template's token in lower case, "" if it has none that matters."""
    return (mark["name"] or mark["turn"] or "").lower().replace("▁", "_")


def whole_length(text: str, *, may_be_final: bool) -> int:
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

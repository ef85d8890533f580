"""Text from pages, visitors and models: removes what must not reach a prompt or a screen."""

import re
import unicodedata

# The tags of the blocks that prompts put around untrusted text, and the role tokens of common chat templates.
_MARKS = re.compile(
    r"<(?=\s{0,9}/?\s{0,9}(?:source|said|document|passage)\b"
    r"|[|｜][^\s<>|｜]{1,40}[|｜]>|</?SYS>>|\s?/?\s?s\s?>|(?:start|end)_of_turn>|[be]os>)"
    r"|\[(?=/?(?:INST|SYS|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])",
    re.IGNORECASE,
)
_ESCAPES = {"<": "&lt;", "[": "("}
_ROLE_LINE = re.compile(
    r"^([ \t]*(?:#{2,}[ \t]*)?(?:system|assistant|user|human|developer|tool)[ \t]*):", re.IGNORECASE | re.MULTILINE
)
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})", re.MULTILINE)
_KEPT_CONTROLS = frozenset("\n\t")
# Code points that are reserved for invisible characters, and noncharacters. Other unassigned code points may be visible
# characters of a newer Unicode version than the interpreter's.
_UNDRAWN = re.compile(
    "[\u2065\ufdd0-\ufdef\ufff0-\ufff8\U000e0000-\U000e0fff"
    + "".join(f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(17))
    + "]"
)
_JOINERS = frozenset("\u200c\u200d")
_NO_LINE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
MAX_LINE_CHARS = 150


def without_controls(text: str, before: str = "") -> str:
    """Remove characters that are invisible but change the display or meaning: control characters (except line feed and
    tab), bidirectional marks, zero-width characters, tag characters, lone surrogates. Joiners stay between letters,
    where Persian, the Indic scripts and emoji need them. `before` is the character before the text, "" at its start."""
    # `isprintable` is False for controls, direction marks, joiners and surrogates, but also for spaces except " ".
    plain = text.replace("\n", "").replace("\t", "").replace("\u00a0", "")
    if plain.isprintable() and (plain.isascii() or not _UNDRAWN.search(plain)):
        return text
    kept: list[str] = []
    for position, character in enumerate(text):
        if character in _KEPT_CONTROLS:
            kept.append(character)
        elif character in _JOINERS:
            previous = text[position - 1] if position else before
            if position < len(text) - 1 and previous and not previous.isascii():
                kept.append(character)
        elif unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co"} and not _UNDRAWN.match(character):
            kept.append(character)
    return "".join(kept)


class StreamedControls:
    """`without_controls` for a text in pieces: a joiner at the end of a piece is held back until the next one."""

    def __init__(self) -> None:
        self._before = ""
        self._joiner = ""

    def feed(self, piece: str) -> str:
        text = self._joiner + piece
        if not text:
            return ""
        is_joined = text[-1] in _JOINERS
        clean = without_controls(text, self._before)
        whole, self._joiner = (text[:-1], text[-1]) if is_joined else (text, "")
        self._before = whole[-1:] or self._before
        return clean


def as_prompt_text(text: str) -> str:
    """The text as data inside a prompt. Tags of blocks and role tokens lose their first character, and "System:" at the
    start of a line its colon. Everything else is unchanged, because models copy what they read; so is "user: postgres"
    in fenced code."""
    clean = without_controls(text)
    if "<" in clean or "[" in clean:
        clean = _MARKS.sub(lambda mark: _ESCAPES[mark.group()], clean)
    if "```" not in clean and "~~~" not in clean:
        return _of_kind(clean, is_code=False)
    pieces: list[str] = []
    start, is_code = 0, False
    for fence in _FENCE.finditer(clean):
        pieces.append(_of_kind(clean[start : fence.start()], is_code=is_code))
        start, is_code = fence.start(), not is_code
    pieces.append(_of_kind(clean[start:], is_code=is_code))
    return "".join(pieces)


def _of_kind(text: str, *, is_code: bool) -> str:
    return text if is_code or ":" not in text else _ROLE_LINE.sub(r"\1 -", text)


def as_attribute(text: str) -> str:
    """Like `as_prompt_text`, for a value in double quotes on one line."""
    return as_prompt_text(" ".join(text.split())).replace('"', "'")


def one_line(text: str, max_chars: int = MAX_LINE_CHARS) -> str:
    """The text without line ends, control characters and bidirectional marks; "…" ends one longer than `max_chars`."""
    line = _NO_LINE.sub(" ", text).strip()
    return line if len(line) <= max_chars else f"{line[: max_chars - 1].rstrip()}…"

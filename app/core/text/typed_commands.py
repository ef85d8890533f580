"""Commands within code that shows what they printed, as a terminal does."""

import re
from collections.abc import Iterable, Iterator, Sequence

from app.core.text.blocks import Block, BlockKind, code_like, code_lines

# "$ ls", "user@host:~# ls", "sqlite> .tables", "C:\> dir", ">>> f()". A bare "# ls" or "% ls" reads as a comment.
_PROMPT = re.compile(
    r"\s*(?:\$|>>>|[\w.-]{1,40}@[\w.-]{1,60}[^#$%>\n]{0,60}[#$%>]|\w{1,20}>|[A-Z]:\\[^>\n]{0,60}>)\s\S"
)
_GOES_ON = "\\"


def commands_above(parts: Iterable[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """For each of the parts that code is cut into, as lines, the command right above it; () for one that begins with a
    command, or that none printed."""
    command: tuple[str, ...] = ()
    goes_on = False
    for part in parts:
        yield () if part and _PROMPT.match(part[0]) else command
        for line in part:
            if _PROMPT.match(line):
                command = (line,)
            elif goes_on:
                command = (*command, line)
            goes_on = bool(command) and line == command[-1] and line.endswith(_GOES_ON)


def rejoined(before: Block, again: Block, rest: Block) -> Block | None:
    """Code that was cut: `before`, with the `rest` that its last command printed, where that command is said `again`
    between them; else None."""
    if not before.kind is again.kind is rest.kind is BlockKind.CODE:
        return None
    lines, command = code_lines(before.text), tuple(code_lines(again.text))
    *_, last = commands_above([lines, ()])
    if command != last or not command:
        return None
    return Block(BlockKind.CODE, code_like(before.text, [*lines, *code_lines(rest.text)]))

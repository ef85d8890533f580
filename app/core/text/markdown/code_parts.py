"""Splits code by its layout alone, in any programming language, and finds the commands of terminal sessions whose
output follows them."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from app.core.text.markdown.blocks import Block, BlockKind, code_like, code_lines

_CLOSING = frozenset(")]}")
_DEEPEST = 40  # columns: if all lines are indented further, each is a part of its own
_COMMENT = re.compile(r"[ \t]*+(?:#|//|--|;|%|@\w)")  # also matches an annotation of the next line, such as `@cache`
_BEFORE_BRACKET = re.compile(r"\s*+[^\s)\]}].*[\w)]")
# "$ ls", "user@host:~# ls", "sqlite> .tables", "C:\> dir", ">>> f()". A bare "# ls" or "% ls" reads as a comment.
_PROMPT = re.compile(
    r"\s*(?:\$|>>>|[\w.-]{1,40}@[\w.-]{1,60}[^#$%>\n]{0,60}[#$%>]|\w{1,20}>|[A-Z]:\\[^>\n]{0,60}>)\s\S"
)
_GOES_ON = "\\"


def code_parts(text: str) -> list[str]:
    """Split code once, at the coarsest level that yields several parts: into runs between blank lines, a run into its
    statements, a statement into its comments, its first line, and the indented statements below it."""
    if not text.strip():
        return [text]
    statements = _statements(text.split("\n"))
    runs: list[list[str]] = [[]]
    for at, statement in enumerate(statements):
        runs[-1].append(statement)
        if statement.endswith("\n") and at + 1 < len(statements):
            runs.append([])
    if len(runs) > 1:
        return ["\n".join(run) for run in runs]
    if len(statements) > 1:
        return statements
    lines = text.split("\n")
    comments = sum(1 for _ in itertools.takewhile(_COMMENT.match, lines))
    if comments > 1:
        return [*lines[: comments - 1], "\n".join(lines[comments - 1 :])]
    first = 2 if _is_opened_by(*lines[:2]) else 1
    return ["\n".join(lines[:first]), *_statements(lines[first:])]


def code_in_parts(
    code: str,
    room: int,
    fits: Callable[[str, int], bool],
    cut_line: Callable[[str, int], Iterable[str]],
    group: str = "",
) -> Iterator[str]:
    """Split code into groups of parts, each as long as `fits(group, room)` allows; the first begins with `group`. Parts
    that are too long are split further, and single lines by `cut_line`. A few lines that only open a block are not left
    as a group of their own, because they say little alone."""
    parts = code_parts(code)
    if len(parts) == 1:
        yield from filter(None, [group, *cut_line(code, room)])
        return
    for part in parts:
        joined = f"{group}\n{part}" if group else part
        if fits(joined, room):
            group = joined
            continue
        are_few = _opens(group, part) and fits(group, room // 3)
        if group.strip() and not are_few:
            yield group
        is_cut = are_few or not fits(part, room)
        inner = code_in_parts(part, room, fits, cut_line, group if are_few else "") if is_cut else [part]
        *full, group = [*inner] or [""]
        yield from full
    if group.strip():
        yield group


def _statements(lines: Sequence[str]) -> list[str]:
    """Lines of code as statements, each with the comment above it, the lines indented below it, and its closing lines.
    A closing line of something above these lines says nothing about indentation."""
    filled = [line for line in lines if line.strip()]
    inner = [line for line in filled if line.lstrip()[0] not in _CLOSING]
    least = min(map(_indentation, inner or filled), default=0)
    if least > _DEEPEST:
        return list(lines)
    found: list[list[str]] = []
    for line in lines:
        is_closing = bool(inner) and line.lstrip()[:1] in _CLOSING
        is_more = not line.strip() or _indentation(line) > least or is_closing
        if found and (is_more or _is_comment_on(found[-1][-1], line) or _is_opened_by(found[-1][-1], line)):
            found[-1].append(line)
        else:
            found.append([line])
    return ["\n".join(statement) for statement in found]


def _is_comment_on(line: str, below: str) -> bool:
    return _COMMENT.match(line) is not None and _indentation(line) <= _indentation(below)


def _is_opened_by(line: str, below: str = "") -> bool:
    """Whether the line begins a statement whose opening bracket is alone on the next line."""
    is_beside = below.strip() == "{" and _indentation(line) == _indentation(below)
    return is_beside and _BEFORE_BRACKET.fullmatch(line) is not None


def _opens(code: str, below: str) -> bool:
    """Whether the first line of the code opens a block that the lines below belong to, by their indentation."""
    return bool(code) and _indentation(code.partition("\n")[0]) < _indentation(below)


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def commands_above(parts: Iterable[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """For each part, given as lines, the lines of the command whose output it continues; () for a part that begins with
    a command, or that is no output."""
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
    """Join code that was split within the output of a command: `again` repeats the last command of `before`, and `rest`
    is the rest of its output. None if they do not belong together."""
    if not before.kind is again.kind is rest.kind is BlockKind.CODE:
        return None
    lines, command = code_lines(before.text), tuple(code_lines(again.text))
    *_, last = commands_above([lines, ()])
    if command != last or not command:
        return None
    return Block(BlockKind.CODE, code_like(before.text, [*lines, *code_lines(rest.text)]))

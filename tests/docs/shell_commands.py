"""The commands of a piece of shell, as lists of words: what is piped, chained and substituted included."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

_HERE = re.compile(r"<<-?'?(\w+)'?([^\n]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_ASSIGNMENT = re.compile(r"\w+=")
_BETWEEN = re.compile(r"[|&;(){}\n]+")
_REDIRECTION = re.compile(r"[<>&]+")


@dataclass(slots=True)
class Command:
    """`fed` is the text that comes in by a here-document, `settings` the assignments before the first word."""

    words: list[str] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    fed: str = ""


def commands(code: str) -> list[Command]:
    fed: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        fed.append(found[3])
        return f" __fed_{len(fed) - 1}__ {found[2]}"

    text = _HERE.sub(put_aside, code).replace("\\\n", " ").replace("$(", " ( ")
    return [command for command in _commands(_words(text), fed) if command.words or command.settings]


def _words(text: str) -> Iterator[str]:
    for line in _logical_lines(text):
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;(){}<>")
        lexer.wordchars += "$@%,!#:+*"
        lexer.commenters = ""
        yield from lexer
        yield "\n"


def _logical_lines(text: str) -> Iterator[str]:
    """Lines without their comments; one whose quotes are open goes on in the next."""
    kept = ""
    for line in text.split("\n"):
        kept = f"{kept}\n{line}" if kept else line
        bare = _without_comment(kept)
        if bare is not None:
            yield bare
            kept = ""
    assert not kept, f"a quote is never closed: {kept}"


def _without_comment(text: str) -> str | None:
    """None where a quote is open at its end."""
    quote = ""
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "#" and (at == 0 or text[at - 1].isspace()):
            return text[:at]
    return None if quote else text


def _commands(words: Iterator[str], fed: list[str]) -> Iterator[Command]:
    command = Command()
    is_target = False
    for word in words:
        if _BETWEEN.fullmatch(word):
            yield command
            command = Command()
        elif _REDIRECTION.fullmatch(word):
            is_target = True
        elif is_target:
            is_target = False
        elif found := re.fullmatch(r"__fed_(\d+)__", word):
            command.fed = fed[int(found[1])]
        elif not command.words and _ASSIGNMENT.match(word):
            command.settings.append(word)
        else:
            command.words.append(word)
    yield command

"""Public suffixes: domains under which anybody may register a name, such as "co.uk" or "github.io".

`public_suffix_list.dat` is the list as published at https://publicsuffix.org; to update it, replace the file.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class _Rules:
    plain: frozenset[str]
    below: frozenset[str]  # "*.ck" is stored as "ck"
    exceptions: frozenset[str]


def is_public_suffix(host: str) -> bool:
    """`host` is lower-case ASCII (xn--...), as in an origin. A name that is not in the list is no suffix."""
    rules = _rules()
    if host in rules.exceptions:
        return False
    return host in rules.plain or host.partition(".")[2] in rules.below


@cache
def _rules() -> _Rules:
    written = list(_written())
    return _Rules(
        plain=frozenset(rule for rule in written if rule[0] not in "*!"),
        below=frozenset(rule.removeprefix("*.") for rule in written if rule[0] == "*"),
        exceptions=frozenset(rule[1:] for rule in written if rule[0] == "!"),
    )


def _written() -> Iterator[str]:
    text = (files("app.core") / "public_suffix_list.dat").read_text(encoding="utf-8")
    for line in text.splitlines():
        rule = line.partition(" ")[0]
        if rule and not rule.startswith("//"):
            yield rule if rule.isascii() else rule.encode("idna").decode("ascii")

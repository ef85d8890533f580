"""The commands of README and of the pages that it sends newcomers to, read from there, with what a reader fills in."""

import re
from collections.abc import Mapping
from pathlib import Path

SERVE = "docent serve --with-worker"

_ROOT = Path(__file__).resolve().parents[2]
_PAGES = ("README.md", "docs/quickstart.md", "docs/how-to/use-the-api.md")
_FENCE = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\s+# .*$")


def readme_fences(filled_in: Mapping[str, str]) -> list[list[str]]:
    """The shell commands of each fence, in order, without comments; `filled_in` replaces what the pages leave to their
    reader, "" a command that is left out."""
    fences = []
    for page in _PAGES:
        for written in _FENCE.findall((_ROOT / page).read_text("utf-8")):
            commands = [_filled(_COMMENT.sub("", line).strip(), filled_in) for line in written.splitlines()]
            kept = [command for command in commands if command]
            if kept:
                fences.append(kept)
    return fences


def _filled(command: str, filled_in: Mapping[str, str]) -> str:
    for written, meant in filled_in.items():
        command = command.replace(written, meant)
    return command

"""The files of a commit, from the objects of a Git pack."""

import re
from dataclasses import dataclass
from stat import S_ISDIR, S_ISREG
from typing import Final

from app.providers.code.git_pack import COMMIT, TAG, TREE, Objects
from crawler.extract.page import Outcome

MAX_ENTRIES: Final = 200_000  # of folders: a few small folders, each ten times within the other, are billions of files
_TAGGED: Final = re.compile(rb"object ([0-9a-f]{40})\n")
_ROOT: Final = re.compile(rb"tree ([0-9a-f]{40})\n")


class GitFailed(Exception):
    """`outcome` and `reason` as of a page; `str` is the reason."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason


@dataclass(frozen=True, slots=True)
class GitFile:
    """`path` is relative to the repository's root; `blob` names the content, and that alone."""

    path: str
    blob: str


def files_of(objects: Objects, tip: bytes, folder: str, suffixes: tuple[str, ...]) -> list[GitFile]:
    """Those below `folder` ("" for all) whose names end in one of `suffixes`, of a commit or of the commit that a tag
    names. Without links, submodules, and names that begin with a full stop. Raises GitFailed."""
    root = _root(objects, tip)
    for part in folder.split("/") if folder else ():
        inner = {name: entry for name, mode, entry in _entries(objects, root) if S_ISDIR(mode)}
        if part not in inner:
            raise GitFailed(Outcome.NOT_FOUND, f"the repository has no folder {folder}")
        root = inner[part]
    found: list[GitFile] = []
    seen = 0
    waiting = [(f"{folder}/" if folder else "", root)]
    while waiting:
        prefix, tree = waiting.pop()
        for name, mode, entry in _entries(objects, tree):
            seen += 1
            if seen > MAX_ENTRIES:
                raise GitFailed(Outcome.TOO_LARGE, f"the repository has more than {MAX_ENTRIES} files and folders")
            if name.startswith(".") or "/" in name:
                continue
            if S_ISDIR(mode):
                waiting.append((f"{prefix}{name}/", entry))
            elif S_ISREG(mode) and name.lower().endswith(suffixes):
                found.append(GitFile(f"{prefix}{name}", entry.decode()))
    return sorted(found, key=lambda file: file.path)


def _root(objects: Objects, name: bytes) -> bytes:
    """The folder of a commit, or of the commit that a tag names."""
    for _ in range(8):
        kind, said = objects.get(name, (0, b""))
        found = (_ROOT if kind == COMMIT else _TAGGED).match(said) if kind in (COMMIT, TAG) else None
        if found is None:
            break
        if kind == COMMIT:
            return found[1]
        name = found[1]
    raise GitFailed(Outcome.NOT_HTML, "its server did not send the commit")


def _entries(objects: Objects, tree: bytes) -> list[tuple[str, int, bytes]]:
    """(name, mode, object) of a folder. Names that are not UTF-8 are left out."""
    from dulwich.errors import ObjectFormatException
    from dulwich.objects import parse_tree

    kind, said = objects.get(tree, (0, b""))
    if kind != TREE:
        raise GitFailed(Outcome.NOT_HTML, "its server did not send all folders")
    found: list[tuple[str, int, bytes]] = []
    try:
        for name, mode, entry in parse_tree(said, 20):
            try:
                found.append((name.decode(), mode, entry))
            except UnicodeDecodeError:
                continue
    except (ObjectFormatException, ValueError) as error:
        raise GitFailed(Outcome.NOT_HTML, "a folder of it cannot be read") from error
    return found

"""Unpacks a Git pack (https://git-scm.com/docs/gitformat-pack) and lists its files. A few bytes of a pack can expand to
gigabytes, so a process of its own does it, with limited memory, one pack at a time over a pipe."""

import hashlib
import re
import struct
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from multiprocessing.connection import Connection
from stat import S_ISDIR, S_ISREG
from typing import Final

from crawler.extract.page import Outcome
from crawler.fetch.fetch_result import NotRead, Refusal
from crawler.worker_processes import limit_memory, serve_requests

COMMIT: Final = 1
TREE: Final = 2
BLOB: Final = 3
TAG: Final = 4
_NAMES: Final = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob", TAG: b"tag"}

_MAX_NUMBER_BYTES: Final = 10  # 64 bits; each further byte would make reading the number slower

Objects = Mapping[bytes, tuple[int, bytes]]  # by name, in hexadecimal: the type and the content


class PackTooLarge(Exception):
    pass


class PackGarbled(Exception):
    pass


def unpacked(pack: bytes, max_bytes: int) -> Objects:
    """Unpack all objects, of at most `max_bytes` together. A delta against an object that is not in the pack is left
    out. Raises PackTooLarge and PackGarbled."""
    from dulwich.errors import ApplyDeltaError

    try:
        return _Unpacking(pack, max_bytes).run()
    # dulwich raises TypeError if a pack ends within a number.
    except (ApplyDeltaError, zlib.error, struct.error, ValueError, TypeError, LookupError, AssertionError) as error:
        raise PackGarbled(f"the pack cannot be read ({type(error).__name__})") from error


class _Unpacking:
    def __init__(self, pack: bytes, max_bytes: int) -> None:
        self._pack = pack
        self._room = max_bytes
        self._found: dict[bytes, tuple[int, bytes]] = {}
        # Deltas that wait for their base, by its offset in the pack or its name.
        self._waiting: defaultdict[int | bytes, list[tuple[int, bytes]]] = defaultdict(list)

    def run(self) -> Objects:
        from dulwich.pack import DELTA_TYPES, OFS_DELTA, read_pack_header, unpack_object

        stream = BytesIO(self._pack)
        _, count = read_pack_header(stream.read)
        whole: list[tuple[int, int, bytes]] = []
        for _ in range(count):
            offset = stream.tell()
            self._take(self._declared_size(offset))
            each, unused = unpack_object(stream.read, hashlib.sha1)
            stream.seek(-len(unused), 1)
            content = b"".join(each.decomp_chunks)
            if each.pack_type_num not in DELTA_TYPES:
                whole.append((offset, each.pack_type_num, content))
            elif each.delta_base is not None:
                base = each.delta_base
                is_near = each.pack_type_num == OFS_DELTA and isinstance(base, int)
                self._waiting[offset - int(base) if is_near else base].append((offset, content))
        for one in whole:
            self._settle(*one)
        return self._found

    def _settle(self, offset: int, kind: int, content: bytes) -> None:
        """Store the object, the deltas against it, and the deltas against those."""
        from dulwich.pack import apply_delta

        ready = [(offset, kind, content)]
        while ready:
            offset, kind, content = ready.pop()
            name = _name(kind, content)
            self._found[name.hex().encode()] = (kind, content)
            for delta_offset, delta in (*self._waiting.pop(offset, ()), *self._waiting.pop(name, ())):
                # A delta begins with the sizes of its base and of its result.
                _, end = _number(delta, 0, first_bits=7)
                self._take(_number(delta, end, first_bits=7)[0])
                ready.append((delta_offset, kind, b"".join(apply_delta(content, delta))))

    def _declared_size(self, offset: int) -> int:
        """The declared size of an object. Checks the numbers in front of the object before dulwich reads them: its
        size, and for a delta the distance to its base."""
        from dulwich.pack import OFS_DELTA

        size, end = _number(self._pack, offset, first_bits=4)
        if self._pack[offset] >> 4 & 0b111 == OFS_DELTA:
            _number(self._pack, end, first_bits=7)
        return size

    def _take(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise PackTooLarge


def _name(kind: int, content: bytes) -> bytes:
    return hashlib.sha1(b"%s %d\0%s" % (_NAMES[kind], len(content), content), usedforsecurity=False).digest()


def _number(data: bytes, at: int, first_bits: int) -> tuple[int, int]:
    """Decode the number at `at`; return it and the index after it. It has `first_bits` bits in its first byte and seven
    in each further one, lowest first; a byte's highest bit marks that another follows. Raises ValueError if it is too
    long."""
    value, shift = data[at] & ((1 << first_bits) - 1), first_bits
    for end in range(at + 1, at + 1 + _MAX_NUMBER_BYTES):
        if not data[end - 1] & 0x80:
            return value, end
        value |= (data[end] & 0x7F) << shift
        shift += 7
    raise ValueError("a number has more than 64 bits")


MAX_ENTRIES: Final = 200_000  # in all folders: a few small folders, each ten times in the next, are billions of files
_TAGGED: Final = re.compile(rb"object ([0-9a-f]{40})\n")
_ROOT: Final = re.compile(rb"tree ([0-9a-f]{40})\n")


@dataclass(frozen=True, slots=True)
class GitFile:
    """A file. `path` is relative to the repository's root; `blob` is the hash of its content."""

    path: str
    blob: str


def files_of(objects: Objects, tip: bytes, folder: str, suffixes: tuple[str, ...]) -> list[GitFile]:
    """The files below `folder` ("" for all) whose names end in one of `suffixes`, in a commit or the commit that a tag
    names. Without links, submodules, and names that begin with a full stop. Raises NotRead."""
    root = _root(objects, tip)
    for part in folder.split("/") if folder else ():
        inner = {name: entry for name, mode, entry in _entries(objects, root) if S_ISDIR(mode)}
        if part not in inner:
            raise NotRead(Outcome.NOT_FOUND, f"the repository has no folder {folder}")
        root = inner[part]
    found: list[GitFile] = []
    seen = 0
    waiting = [(f"{folder}/" if folder else "", root)]
    while waiting:
        prefix, tree = waiting.pop()
        for name, mode, entry in _entries(objects, tree):
            seen += 1
            if seen > MAX_ENTRIES:
                raise NotRead(Outcome.TOO_LARGE, f"the repository has more than {MAX_ENTRIES} files and folders")
            if name.startswith(".") or "/" in name:
                continue
            if S_ISDIR(mode):
                waiting.append((f"{prefix}{name}/", entry))
            elif S_ISREG(mode) and name.lower().endswith(suffixes):
                found.append(GitFile(f"{prefix}{name}", entry.decode()))
    return sorted(found, key=lambda file: file.path)


def _root(objects: Objects, name: bytes) -> bytes:
    """The root folder of a commit, or of the commit that a tag names. Raises NotRead."""
    for _ in range(8):
        kind, content = objects.get(name, (0, b""))
        found = (_ROOT if kind == COMMIT else _TAGGED).match(content) if kind in (COMMIT, TAG) else None
        if found is None:
            break
        if kind == COMMIT:
            return found[1]
        name = found[1]
    raise NotRead(Outcome.NOT_HTML, "its server did not send the commit")


def _entries(objects: Objects, tree: bytes) -> list[tuple[str, int, bytes]]:
    """The entries (name, mode, object) of a folder. Names that are not UTF-8 are left out. Raises NotRead."""
    from dulwich.errors import ObjectFormatException
    from dulwich.objects import parse_tree

    kind, content = objects.get(tree, (0, b""))
    if kind != TREE:
        raise NotRead(Outcome.NOT_HTML, "its server did not send all folders")
    found: list[tuple[str, int, bytes]] = []
    try:
        for name, mode, entry in parse_tree(content, 20):
            try:
                found.append((name.decode(), mode, entry))
            except UnicodeDecodeError:
                continue
    except (ObjectFormatException, ValueError) as error:
        raise NotRead(Outcome.NOT_HTML, "a folder of it cannot be read") from error
    return found


MAX_UNPACKED_BYTES: Final = 192 * 1024 * 1024
MEMORY_BYTES: Final = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class PackRequest:
    """Requests the files of the commit `tip`, as in `files_of`; without `tip`, the contents of `blobs`."""

    pack: bytes
    tip: bytes | None = None
    folder: str = ""
    suffixes: tuple[str, ...] = ()
    blobs: Sequence[bytes] = ()


@dataclass(frozen=True, slots=True)
class PackAnswer:
    """`texts` are the contents of the requested blobs that the pack has."""

    files: Sequence[GitFile] = ()
    texts: Mapping[bytes, bytes] = field(default_factory=dict)


def serve_packs(pipe: Connection) -> None:
    """Entry point of the process, for `WorkerProcesses`."""
    import dulwich.pack  # noqa: F401 - takes a tenth of a second, which is no pack's

    limit_memory(MEMORY_BYTES)
    serve_requests(pipe, _answer)


def _answer(request: PackRequest) -> PackAnswer | Refusal:
    try:
        return _read(request)
    except NotRead as error:
        return Refusal(error.outcome, error.reason)
    except PackGarbled as error:
        return Refusal(Outcome.NOT_HTML, f"this is not a readable Git repository: {error}")
    except (PackTooLarge, MemoryError):
        most = f"{MAX_UNPACKED_BYTES // 1024**2} MiB"
        return Refusal(Outcome.TOO_LARGE, f"the repository's files are larger than {most}")


def _read(request: PackRequest) -> PackAnswer:
    objects = unpacked(request.pack, MAX_UNPACKED_BYTES) if request.pack else {}
    files: Sequence[GitFile] = ()
    blobs = request.blobs
    if request.tip is not None:
        files = files_of(objects, request.tip, request.folder, request.suffixes)
        blobs = [file.blob.encode() for file in files]
    return PackAnswer(files, {name: objects[name][1] for name in blobs if objects.get(name, (0,))[0] == BLOB})

"""The process that unpacks Git packs and lists their files, one at a time over a pipe, with limited memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Final

from app.providers.code.git_pack import BLOB, GitFailed, GitFile, PackGarbled, PackTooLarge, files_of, unpacked
from crawler.extract.page import Outcome
from crawler.worker_processes import limit_memory, serve_requests

MAX_UNPACKED_BYTES: Final = 192 * 1024 * 1024
MEMORY_BYTES: Final = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class PackRequest:
    """The files of the commit `tip`, as in `files_of`; or with `tip` None, the contents of `blobs`."""

    pack: bytes
    tip: bytes | None = None
    folder: str = ""
    suffixes: tuple[str, ...] = ()
    blobs: Sequence[bytes] = ()


@dataclass(frozen=True, slots=True)
class PackAnswer:
    """`texts` are the contents that were asked for and that the pack has."""

    files: Sequence[GitFile] = ()
    texts: Mapping[bytes, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PackFailure:
    outcome: Outcome
    reason: str


def serve_packs(pipe: Connection) -> None:
    """Entry point of the process, for `WorkerProcesses`."""
    import dulwich.pack  # noqa: F401 - takes a tenth of a second, which is no pack's

    limit_memory(MEMORY_BYTES)
    serve_requests(pipe, _answer)


def _answer(request: PackRequest) -> PackAnswer | PackFailure:
    try:
        return _read(request)
    except GitFailed as error:
        return PackFailure(error.outcome, error.reason)
    except PackGarbled as error:
        return PackFailure(Outcome.NOT_HTML, f"this is not a readable Git repository: {error}")
    except (PackTooLarge, MemoryError):
        most = f"{MAX_UNPACKED_BYTES // 1024**2} MiB"
        return PackFailure(Outcome.TOO_LARGE, f"the repository's files are larger than {most}")


def _read(request: PackRequest) -> PackAnswer:
    objects = unpacked(request.pack, MAX_UNPACKED_BYTES) if request.pack else {}
    files: Sequence[GitFile] = ()
    blobs = request.blobs
    if request.tip is not None:
        files = files_of(objects, request.tip, request.folder, request.suffixes)
        blobs = [file.blob.encode() for file in files]
    return PackAnswer(files, {name: objects[name][1] for name in blobs if objects.get(name, (0,))[0] == BLOB})

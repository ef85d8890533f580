"""The machine that `docent doctor` runs on: the data folder and its disk."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from app.cli.doctor.check import Check
from app.core.errors import IndexUnavailable
from app.providers.indexes.lancedb_tables import present_bytes
from app.settings import Settings

_MIB: Final = 1024**2
_ROOM_MIB: Final = 512  # for what is learnt, uploaded and logged meanwhile
_OTHERS_RIGHTS: Final = 0o077
_LISTED: Final = 3


def check_data_folder(settings: Settings) -> Check:
    """Whose its files are: what another account has made, this one can neither write nor close to others."""
    folder = settings.data.resolve()
    strangers = [path for path in _files(folder) if _owner(path) not in (os.getuid(), None)]
    said = f"{folder}, owned by account {folder.stat().st_uid}, mode {folder.stat().st_mode & 0o777:o}"
    if strangers:
        some = ", ".join(str(path) for path in strangers[:_LISTED])
        more = f" and {len(strangers) - _LISTED} more" if len(strangers) > _LISTED else ""
        problem = (
            f"Data folder: {some}{more} belong to another account, such as one that ran a command as root. "
            f"Change the owner: chown -R {os.getuid()}:{os.getgid()} {folder}"
        )
        return Check("data folder", said, problem)
    key_file = settings.secret_key_file  # has a word of its own
    opened = [path for path in _files(folder) if path != key_file and _is_open_to_others(path)]
    if opened:
        return Check(
            "data folder",
            said,
            f"Data folder: other accounts may read {opened[0]} ({len(opened)} files). "
            f"Remove their access: chmod -R go= {folder}",
        )
    return Check("data folder", said)


def check_disk(settings: Settings) -> Check:
    """Compaction and `purge` write the vectors once more before the old files go."""
    folder = settings.data.resolve()
    free = shutil.disk_usage(folder).free // _MIB
    held = sum(_size(path) for path in _files(folder)) // _MIB
    vectors = sum(_size(path) for path in _files(folder / "vectors")) // _MIB if (folder / "vectors").exists() else 0
    wanted = _ROOM_MIB + vectors
    said = f"{held} MiB in use, {free} MiB free"
    if free >= wanted:
        return Check("disk", said)
    return Check(
        "disk",
        said,
        f"Disk: {free} MiB are free on the disk of {folder}, and {wanted} are needed ({vectors} of them to rewrite the "
        "vectors). Free some space, or move the folder to a larger disk (DOCENT_DATA).",
    )


async def check_vectors(settings: Settings) -> Check | None:
    """What the versions before the present one take; None if there are no vectors in a folder."""
    folder = Path(settings.vector_uri)
    held = 0 if "://" in settings.vector_uri else sum(_size(path) for path in _files(folder))
    if not held:
        return None
    try:
        old = max(0, held - await present_bytes(folder))
    except IndexUnavailable as error:
        return Check("vectors", "cannot be read", f"Vectors: {error}")
    frees = "a worker frees them within two hours of the last write"
    return Check("vectors", f"{held // _MIB} MiB, of which {old // _MIB} are old versions; {frees}")


def _files(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.rglob("*")


def _owner(path: Path) -> int | None:
    try:
        return path.lstat().st_uid
    except FileNotFoundError:  # other processes take files away meanwhile
        return None


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0


def _is_open_to_others(path: Path) -> bool:
    """Files alone: what may be entered but holds nothing that may be read gives nothing away."""
    try:
        return path.is_file() and not path.is_symlink() and bool(path.lstat().st_mode & _OTHERS_RIGHTS)
    except FileNotFoundError:
        return False

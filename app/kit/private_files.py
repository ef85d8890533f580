"""The data folder: readable by its owner alone, and the only place to which a process writes.

Databases, indexes and libraries create files on their own, so the rule applies to the whole process: the mask of new
files, and the folder of temporary ones (LanceDB's index building, uploads, models that are unpacked).
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from app.core.errors import Misconfigured

_OURS: Final = ("docent.sqlite*", "jobs.sqlite*", "vectors", "keywords", "tmp")
_OTHERS_RIGHTS: Final = 0o077
_LEFT_BEHIND_SECONDS: Final = 86_400.0


def check_data_folder(folder: Path) -> None:
    """Create it if it is missing. Raises Misconfigured if nothing can be stored in it."""
    fix = "name a folder that this account may write to"
    if folder.exists() and not folder.is_dir():
        raise Misconfigured(f"DOCENT_DATA: {folder} is a file; {fix}.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Misconfigured(f"DOCENT_DATA: {folder} cannot be created; {fix}.") from error
    try:
        (folder / "tmp").mkdir(exist_ok=True)
        is_writable = os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        is_writable = False
    if not is_writable:
        raise Misconfigured(f"DOCENT_DATA: {folder} is read-only; {fix}.")


@contextmanager
def private_files(folder: Path) -> Iterator[None]:
    """While the block runs, files that this process creates have mode 0600 or 0700, and temporary files are in
    `folder`/tmp. Tightens what an earlier version left open to others, and removes what killed processes left in tmp a
    day ago. Raises Misconfigured."""
    mask = os.umask(_OTHERS_RIGHTS)
    try:
        check_data_folder(folder)
        _close_to_others(folder)
        temporary = folder.resolve() / "tmp"
        _remove_left_behind(temporary)
        with _temporary_files_in(temporary):
            yield
    finally:
        os.umask(mask)


def _close_to_others(folder: Path) -> None:
    for pattern in _OURS:
        for ours in folder.glob(pattern):
            for path in (ours, *ours.rglob("*")):
                # Other processes may remove files meanwhile, and files of another account are not ours to change.
                with suppress(FileNotFoundError, PermissionError):
                    mode = path.lstat().st_mode & 0o777
                    if mode & _OTHERS_RIGHTS and not path.is_symlink():
                        path.chmod(mode & ~_OTHERS_RIGHTS)


def _remove_left_behind(temporary: Path) -> None:
    for left in temporary.iterdir():
        with suppress(FileNotFoundError, PermissionError):
            if time.time() - left.lstat().st_mtime < _LEFT_BEHIND_SECONDS:
                continue
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink()


@contextmanager
def _temporary_files_in(temporary: Path) -> Iterator[None]:
    """Sets the variable that every library reads, in child processes too."""
    before, ours = os.environ.get("TMPDIR"), str(temporary)
    os.environ["TMPDIR"] = ours
    tempfile.tempdir = None  # Python's cached value
    try:
        yield
    finally:
        if os.environ.get("TMPDIR") == ours:
            if before and Path(before).is_dir():
                os.environ["TMPDIR"] = before
            else:
                del os.environ["TMPDIR"]
        tempfile.tempdir = None

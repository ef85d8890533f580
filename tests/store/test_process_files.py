"""Who died is known at once where its lock can be believed, and nowhere else."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.store.processes import ProcessFiles

_HOLDER = """
import sys, time
from pathlib import Path
from app.store.processes import ProcessFiles

with ProcessFiles(Path(sys.argv[1]), boot=Path(sys.argv[2])).held(sys.argv[3]):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def boot(tmp_path: Path) -> Path:
    named = tmp_path / "boot_id"
    named.write_text("this start\n")
    return named


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "processes"


@contextmanager
def holding(folder: Path, boot: Path, name: str) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-c", _HOLDER, str(folder), str(boot), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        try:
            yield holder
        finally:
            holder.kill()


def test_a_killed_process_is_dead_and_one_that_is_stopped_is_not(folder: Path, boot: Path) -> None:
    files = ProcessFiles(folder, boot=boot)
    with files.held("mine"), holding(folder, boot, "killed") as killed, holding(folder, boot, "stopped") as stopped:
        stopped.send_signal(signal.SIGSTOP)
        assert files.dead() == []
        killed.kill()
        killed.wait()
        assert files.dead() == ["killed"]
        files.remove(["killed"])
        assert files.dead() == []
        assert sorted(each.name for each in folder.iterdir()) == ["mine", "stopped"]
    assert not (folder / "mine").exists()


def test_a_process_of_another_machine_is_not_judged(folder: Path, boot: Path, tmp_path: Path) -> None:
    there = tmp_path / "boot_id there"
    there.write_text("another system's start\n")
    with holding(folder, there, "killed") as killed:
        killed.kill()
        killed.wait()
    assert ProcessFiles(folder, boot=boot).dead() == []
    assert ProcessFiles(folder, boot=there).dead() == ["killed"]


def test_where_systems_have_no_name_nobody_is_judged(folder: Path, tmp_path: Path) -> None:
    nameless = tmp_path / "nothing"
    with holding(folder, nameless, "killed") as killed:
        killed.kill()
        killed.wait()
    assert ProcessFiles(folder, boot=nameless).dead() == []


def test_a_folder_that_takes_no_file_stops_nobody(tmp_path: Path, boot: Path) -> None:
    (tmp_path / "processes").write_text("a file")
    files = ProcessFiles(tmp_path / "processes", boot=boot)
    with files.held("mine"):
        assert files.dead() == []
    files.remove([])

import os
import stat
import tempfile
import time
from pathlib import Path

import pytest

from app.kit.private_files import private_files
from app.main import open_app, open_worker
from app.settings import read_settings
from tests.system.conftest import learnt_agent


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


async def test_whatever_lies_in_the_data_folder_is_its_owners_alone(tmp_path: Path) -> None:
    settings = read_settings(data=tmp_path / "data")
    await learnt_agent(settings)
    async with open_worker(settings), open_app(settings):
        made = [settings.data, *settings.data.rglob("*")]
        assert {"docent.sqlite", "jobs.sqlite", "secret.key", "vectors", "keywords", "tmp"} <= {p.name for p in made}
        assert {path.name: oct(mode(path)) for path in made if mode(path) & 0o077} == {}


def test_what_an_earlier_version_left_open_is_closed_and_nothing_else_is_touched(tmp_path: Path) -> None:
    inside = tmp_path / "vectors" / "chunks.lance"
    inside.mkdir(parents=True)
    ours = [inside, inside.parent, inside / "1.manifest", tmp_path / "jobs.sqlite-wal"]
    for path in ours[2:]:
        path.touch()
    others = tmp_path / "notes.txt"
    others.touch()
    for path in (*ours, others, tmp_path):
        path.chmod(0o755)
    with private_files(tmp_path):
        assert [oct(mode(path)) for path in ours] == ["0o700"] * 4
        assert [oct(mode(path)) for path in (others, tmp_path)] == ["0o755"] * 2


def test_temporary_files_lie_in_the_data_folder_while_it_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tmp_path / "before"
    before.mkdir()
    monkeypatch.setenv("TMPDIR", str(before))
    mask = os.umask(0o022)
    try:
        with private_files(tmp_path / "data"):
            assert tempfile.gettempdir() == os.environ["TMPDIR"] == str(tmp_path / "data" / "tmp")
        assert tempfile.gettempdir() == os.environ["TMPDIR"] == str(before)
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(mask)


def test_what_a_killed_process_left_is_removed_a_day_later(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    (temporary / "old").mkdir(parents=True)
    (temporary / "old" / "part").touch()
    (temporary / "new").touch()
    yesterday = time.time() - 90_000
    os.utime(temporary / "old", (yesterday, yesterday))
    with private_files(tmp_path):
        assert [left.name for left in temporary.iterdir()] == ["new"]

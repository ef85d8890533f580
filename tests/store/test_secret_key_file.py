"""The key file: made once, whole, and for its owner alone."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.core.errors import SecretsLocked
from app.store.secret_keys import SecretKeyFile


def test_it_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "secret.key"
    keys = SecretKeyFile(path).read()
    assert len(keys) == 1
    assert SecretKeyFile(path).read() == keys
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not SecretKeyFile(path).is_open_to_others()
    assert list(path.parent.iterdir()) == [path]


def test_those_who_start_together_make_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        read = list(pool.map(lambda _: tuple(SecretKeyFile(tmp_path / "secret.key").read()), range(64)))
    assert len(set(read)) == 1


def test_a_new_key_comes_first_until_the_others_go(tmp_path: Path) -> None:
    file = SecretKeyFile(tmp_path / "secret.key")
    [old] = file.read()
    file.prepend()
    new, kept = file.read()
    assert kept == old
    assert new != old
    file.keep_first()
    assert file.read() == [new]
    assert not file.is_open_to_others()


def test_others_who_may_read_it_are_noticed(tmp_path: Path) -> None:
    file = SecretKeyFile(tmp_path / "secret.key")
    file.read()
    (tmp_path / "secret.key").chmod(0o640)
    assert file.is_open_to_others()


@pytest.mark.parametrize("content", [b"", b"hunter2\n", b"\xff\x00"])
def test_a_file_that_holds_no_key_is_named_and_not_replaced(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    path.write_bytes(content)
    with pytest.raises(SecretsLocked, match=r"secret\.key"):
        SecretKeyFile(path).read()
    assert path.read_bytes() == content

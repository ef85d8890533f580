"""Argon2id, with parameters that cost a test nothing."""

from typing import Any

import pytest
from argon2 import PasswordHasher
from argon2.low_level import hash_secret

from app.kit import password_hasher
from app.kit.password_hasher import Argon2PasswordHasher

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


async def test_a_hash_knows_its_password_alone() -> None:
    hasher = Argon2PasswordHasher(CHEAP)
    hashed = await hasher.hash("correct horse battery")
    assert hashed.startswith("$argon2id$")
    assert await hasher.matching("correct horse battery", [hashed, "no hash"]) == [hashed]
    assert await hasher.matching("correct horse batterz", [hashed]) == []


async def test_hashes_like_each_other_cost_one_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher, run = Argon2PasswordHasher(CHEAP), list[bytes]()
    first = await hasher.hash("correct horse battery")
    same, other = [await hasher.hash(password, like=first) for password in ("correct horse battery", "another")]
    apart = await hasher.hash("correct horse battery")
    assert (same, other == first) == (first, False)

    def counted(secret: bytes, *how: Any) -> bytes:
        run.append(secret)
        return hash_secret(secret, *how)

    monkeypatch.setattr(password_hasher, "hash_secret", counted)
    assert await hasher.matching("another", [first, other]) == [other]
    assert run == [b"another"]
    assert await hasher.matching("correct horse battery", [first, other, apart]) == [first, apart]
    assert len(run) == 3


async def test_a_hash_like_an_older_one_keeps_its_settings() -> None:
    weak = await Argon2PasswordHasher(CHEAP).hash("x")
    like = await Argon2PasswordHasher().hash("correct horse battery", like=weak)
    assert Argon2PasswordHasher().is_outdated(like)
    assert await Argon2PasswordHasher().matching("correct horse battery", [weak, like]) == [like]


async def test_no_two_hashes_are_alike() -> None:
    hasher = Argon2PasswordHasher(CHEAP)
    assert await hasher.hash("the same") != await hasher.hash("the same")


async def test_a_hash_of_weaker_settings_is_outdated() -> None:
    weak = await Argon2PasswordHasher(CHEAP).hash("x")
    assert Argon2PasswordHasher().is_outdated(weak)
    assert not Argon2PasswordHasher(CHEAP).is_outdated(weak)

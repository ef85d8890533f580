"""Argon2id, with parameters that cost a test nothing."""

from argon2 import PasswordHasher

from app.kit.argon2_password_hasher import Argon2PasswordHasher

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


async def test_a_hash_knows_its_password_alone() -> None:
    hasher = Argon2PasswordHasher(CHEAP)
    hashed = await hasher.hash("correct horse battery")
    assert hashed.startswith("$argon2id$")
    assert await hasher.is_right("correct horse battery", hashed)
    assert not await hasher.is_right("correct horse batterz", hashed)
    assert not await hasher.is_right("correct horse battery", "no hash")


async def test_no_two_hashes_are_alike() -> None:
    hasher = Argon2PasswordHasher(CHEAP)
    assert await hasher.hash("the same") != await hasher.hash("the same")


async def test_a_hash_of_weaker_settings_is_outdated() -> None:
    weak = await Argon2PasswordHasher(CHEAP).hash("x")
    assert Argon2PasswordHasher().is_outdated(weak)
    assert not Argon2PasswordHasher(CHEAP).is_outdated(weak)

"""Sealing: what is sealed opens with its key, at its place, unchanged, and in no other way."""

import pytest

from app.core.errors import SecretsLocked
from app.store.secret_keys import Sealed, SecretKeys, key_name, new_key, read_key
from tests.every_row import every_row

OLD, NEW = b"o" * 32, b"n" * 32
PLACE = "signing_keys.secret:1"
SECRET = b"zqxSECRETzqx"


def keys(*known: bytes) -> SecretKeys:
    return SecretKeys(lambda: known)


def test_what_is_sealed_opens_at_its_place() -> None:
    sealed = keys(NEW).seal(SECRET, PLACE)
    assert SECRET not in sealed.data
    assert keys(NEW).open(sealed, PLACE) == SECRET


def test_the_same_secret_is_never_sealed_alike() -> None:
    assert len({keys(NEW).seal(SECRET, PLACE).data for _ in range(100)}) == 100


def test_the_first_key_seals_and_each_opens() -> None:
    sealed = keys(OLD).seal(SECRET, PLACE)
    both = keys(NEW, OLD)
    assert both.open(sealed, PLACE) == SECRET
    assert (sealed.key_name, both.seal(SECRET, PLACE).key_name) == (key_name(OLD), key_name(NEW))


def test_moved_to_another_row_it_does_not_open() -> None:
    sealed = keys(NEW).seal(SECRET, PLACE)
    with pytest.raises(SecretsLocked, match="changed"):
        keys(NEW).open(sealed, "signing_keys.secret:2")


def test_with_any_bit_changed_it_does_not_open() -> None:
    sealed = keys(NEW).seal(SECRET, PLACE)
    for bit in range(8 * len(sealed.data)):
        changed = bytearray(sealed.data)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(SecretsLocked):
            keys(NEW).open(Sealed(bytes(changed), sealed.key_name), PLACE)
    with pytest.raises(SecretsLocked):
        keys(NEW).open(Sealed(b"", sealed.key_name), PLACE)


def test_without_its_key_the_message_names_key_and_fix() -> None:
    sealed = keys(OLD).seal(SECRET, PLACE)
    with pytest.raises(SecretsLocked) as caught:
        keys(NEW).open(sealed, PLACE)
    for told in (key_name(OLD), key_name(NEW), "DOCENT_SECRET_KEY", "docent secrets forget"):
        assert told in str(caught.value)


def test_a_key_that_came_later_is_read_when_it_is_needed() -> None:
    known = [OLD]
    running = SecretKeys(lambda: known)
    known.insert(0, NEW)
    assert running.open(keys(NEW).seal(SECRET, PLACE), PLACE) == SECRET


def test_keys_do_not_print_themselves() -> None:
    known = keys(NEW, OLD)
    assert repr(known) == f"SecretKeys({key_name(NEW)}, {key_name(OLD)})"


def test_a_new_key_is_read_as_it_was_written() -> None:
    written = new_key()
    assert read_key(written) == read_key(f" {written}=\n")
    assert len(read_key(written)) == 32
    assert new_key() != written


@every_row("text", ["", "password", "a" * 42, "a" * 44, "é" * 43, "a" * 42 + "+", "a " * 22])
def test_what_is_no_key_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(ValueError, match="docent secrets new-key") as caught:
        read_key(text)
    assert not text.strip() or text not in str(caught.value)

"""Packs as Git writes them, and those that somebody made to do harm."""

import hashlib
import struct
import time
import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.providers.code.git_pack import BLOB, PackGarbled, PackTooLarge, unpacked

TEXT = b"Send it back within 30 days. " * 4


def number(value: int, first_bits: int = 7, kind: int = 0) -> bytes:
    """Of a pack's object with its kind, or of a difference's size."""
    said = bytearray([(value & ((1 << first_bits) - 1)) | (kind << 4)])
    value >>= first_bits
    while value:
        said[-1] |= 0x80
        said.append(value & 0x7F)
        value >>= 7
    return bytes(said)


def pack_of(*objects: bytes) -> bytes:
    body = b"PACK" + struct.pack(">LL", 2, len(objects)) + b"".join(objects)
    return body + hashlib.sha1(body).digest()


def blob(said: bytes, declared: int | None = None) -> bytes:
    return number(len(said) if declared is None else declared, 4, BLOB) + zlib.compress(said)


def name_of(said: bytes) -> bytes:
    return hashlib.sha1(b"blob %d\0%s" % (len(said), said)).digest()


def difference(base: bytes, steps: bytes, makes: int) -> bytes:
    return told_difference(base, number(len(base)) + number(makes) + steps)


def told_difference(base: bytes, told: bytes) -> bytes:
    return number(len(told), 4, 7) + name_of(base) + zlib.compress(told)


def copied(size: int) -> bytes:
    return bytes([0x80 | 0x10 | 0x20, size & 0xFF, size >> 8])


def test_objects_and_differences_to_them_are_unpacked_in_any_order() -> None:
    pack = pack_of(difference(TEXT, copied(len(TEXT)) + b"\x05again", len(TEXT) + 5), blob(TEXT), blob(b""))
    found = unpacked(pack, 10_000)
    assert {said for _, said in found.values()} == {TEXT, TEXT + b"again", b""}
    assert found[name_of(TEXT).hex().encode()] == (BLOB, TEXT)


def test_what_is_told_by_an_object_that_never_came_is_left_out() -> None:
    assert unpacked(pack_of(difference(TEXT, copied(9), 9)), 10_000) == {}


@pytest.mark.parametrize(
    "pack",
    [
        pytest.param(pack_of(blob(b"\0" * 5_000_000)), id="a compressed flood"),
        pytest.param(pack_of(blob(b"x", declared=1 << 40)), id="an object that calls itself large"),
        pytest.param(
            pack_of(blob(TEXT), difference(TEXT, copied(len(TEXT)) * 50_000, len(TEXT) * 50_000)),
            id="a difference that repeats",
        ),
    ],
)
def test_no_few_bytes_become_many(pack: bytes) -> None:
    with pytest.raises(PackTooLarge):
        unpacked(pack, 1_000_000)


ENDLESS = b"\xff" * 3_000_000  # took hours of processor time, and 1.6 KB on the wire


@pytest.mark.parametrize(
    "pack",
    [
        pytest.param(pack_of(bytes([BLOB << 4 | 0x80]) + ENDLESS), id="the size of an object"),
        pytest.param(pack_of(blob(TEXT), number(9, 4, 6) + ENDLESS), id="the distance to a delta's base"),
        pytest.param(pack_of(blob(TEXT), told_difference(TEXT, ENDLESS)), id="the size of a delta's base"),
        pytest.param(pack_of(blob(TEXT), told_difference(TEXT, b"\x01" + ENDLESS)), id="the size of a delta's result"),
    ],
)
def test_a_number_without_end_is_refused_at_once(pack: bytes) -> None:
    before = time.process_time()
    with pytest.raises(PackGarbled):
        unpacked(pack, 10_000_000)
    assert time.process_time() - before < 2


def test_a_number_of_64_bits_is_read() -> None:
    with pytest.raises(PackTooLarge):
        unpacked(pack_of(blob(TEXT, declared=(1 << 64) - 1)), 1 << 50)


@given(st.binary(max_size=300), st.integers(0, 200))
@example(noise=b"\xe0\x00", at=54)
def test_garbled_bytes_are_refused_and_a_cut_pack_unless_all_its_objects_are_there(noise: bytes, at: int) -> None:
    whole = pack_of(blob(TEXT), difference(TEXT, copied(9), 9))
    for pack in (noise, whole[:at] + noise, whole[:at]):
        try:
            found = unpacked(pack, 100_000)
        except (PackGarbled, PackTooLarge):
            assert pack != whole
        else:
            assert found == unpacked(whole, 100_000) or pack not in whole

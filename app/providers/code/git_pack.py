"""Unpacks a Git pack (https://git-scm.com/docs/gitformat-pack) within a bound: a few of its bytes can expand to
gigabytes."""

import hashlib
import struct
import zlib
from collections import defaultdict
from collections.abc import Mapping
from io import BytesIO
from typing import Final

COMMIT: Final = 1
TREE: Final = 2
BLOB: Final = 3
TAG: Final = 4
_NAMES: Final = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob", TAG: b"tag"}

_MAX_NUMBER_BYTES: Final = 10  # 64 bits; each further byte would make reading the number slower

Objects = Mapping[bytes, tuple[int, bytes]]  # by name, in hexadecimal: the type and the content


class PackTooLarge(Exception):
    pass


class PackGarbled(Exception):
    pass


def unpacked(pack: bytes, max_bytes: int) -> Objects:
    """`max_bytes` bounds all objects together. A delta against an object that is not in the pack is left out. Raises
    PackTooLarge and PackGarbled."""
    from dulwich.errors import ApplyDeltaError

    try:
        return _Unpacking(pack, max_bytes).run()
    # dulwich raises TypeError if a pack ends within a number.
    except (ApplyDeltaError, zlib.error, struct.error, ValueError, TypeError, LookupError, AssertionError) as error:
        raise PackGarbled(f"the pack cannot be read ({type(error).__name__})") from error


class _Unpacking:
    def __init__(self, pack: bytes, max_bytes: int) -> None:
        self._pack = pack
        self._room = max_bytes
        self._found: dict[bytes, tuple[int, bytes]] = {}
        # Deltas that wait for their base, by its offset in the pack or its name.
        self._waiting: defaultdict[int | bytes, list[tuple[int, bytes]]] = defaultdict(list)

    def run(self) -> Objects:
        from dulwich.pack import DELTA_TYPES, OFS_DELTA, read_pack_header, unpack_object

        stream = BytesIO(self._pack)
        _, count = read_pack_header(stream.read)
        whole: list[tuple[int, int, bytes]] = []
        for _ in range(count):
            offset = stream.tell()
            self._take(self._declared_size(offset))
            each, unused = unpack_object(stream.read, hashlib.sha1)
            stream.seek(-len(unused), 1)
            said = b"".join(each.decomp_chunks)
            if each.pack_type_num not in DELTA_TYPES:
                whole.append((offset, each.pack_type_num, said))
            elif each.delta_base is not None:
                base = each.delta_base
                is_near = each.pack_type_num == OFS_DELTA and isinstance(base, int)
                self._waiting[offset - int(base) if is_near else base].append((offset, said))
        for one in whole:
            self._settle(*one)
        return self._found

    def _settle(self, offset: int, kind: int, said: bytes) -> None:
        """Store the object, the deltas against it, and the deltas against those."""
        from dulwich.pack import apply_delta

        ready = [(offset, kind, said)]
        while ready:
            offset, kind, said = ready.pop()
            name = _name(kind, said)
            self._found[name.hex().encode()] = (kind, said)
            for delta_offset, delta in (*self._waiting.pop(offset, ()), *self._waiting.pop(name, ())):
                # A delta begins with the sizes of its base and of its result.
                _, end = _number(delta, 0, first_bits=7)
                self._take(_number(delta, end, first_bits=7)[0])
                ready.append((delta_offset, kind, b"".join(apply_delta(said, delta))))

    def _declared_size(self, offset: int) -> int:
        """Of the object, with the numbers in front of it checked before dulwich reads them: its size, and for a delta
        the distance to its base."""
        from dulwich.pack import OFS_DELTA

        size, end = _number(self._pack, offset, first_bits=4)
        if self._pack[offset] >> 4 & 0b111 == OFS_DELTA:
            _number(self._pack, end, first_bits=7)
        return size

    def _take(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise PackTooLarge


def _name(kind: int, said: bytes) -> bytes:
    return hashlib.sha1(b"%s %d\0%s" % (_NAMES[kind], len(said), said), usedforsecurity=False).digest()


def _number(data: bytes, at: int, first_bits: int) -> tuple[int, int]:
    """The number at `at`, and where it ends: seven bits a byte, the lowest first, for as long as the highest bit is
    set. Raises ValueError if it is too long."""
    value, shift = data[at] & ((1 << first_bits) - 1), first_bits
    for end in range(at + 1, at + 1 + _MAX_NUMBER_BYTES):
        if not data[end - 1] & 0x80:
            return value, end
        value |= (data[end] & 0x7F) << shift
        shift += 7
    raise ValueError("a number has more than 64 bits")

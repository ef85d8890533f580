import gzip
import zlib
from collections.abc import AsyncIterator, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.errors import BodyGarbled, BodyTooLarge
from crawler.fetch.body_reader import inflate_gzip, read_body
from tests.every_row import every_row


async def pieces(data: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
}


@every_row("encoding", ENCODERS)
@every_row("size", [1, 7, 100_000])
async def test_what_was_encoded_comes_back_however_it_is_cut(encoding: str, size: int) -> None:
    data = b"The quick brown fox. " * 50
    assert await read_body(pieces(ENCODERS[encoding](data), size), encoding, 10_000) == data


async def test_deflate_without_its_wrapper_is_read_too() -> None:
    assert await read_body(pieces(raw_deflate(b"hello" * 9), 3), "deflate", 100) == b"hello" * 9


async def test_gzip_members_in_a_row_are_one_body() -> None:
    data = gzip.compress(b"one") + gzip.compress(b"two") + b"\0\0"
    assert await read_body(pieces(data, 5), "gzip", 100) == b"onetwo"


@pytest.mark.parametrize("encoding", ENCODERS)
async def test_one_byte_over_the_limit_is_too_large(encoding: str) -> None:
    body = ENCODERS[encoding](b"x" * 100)
    assert len(await read_body(pieces(body, 64), encoding, 100)) == 100
    with pytest.raises(BodyTooLarge):
        await read_body(pieces(body, 64), encoding, 99)


async def test_a_bomb_is_given_up_at_the_limit() -> None:
    with pytest.raises(BodyTooLarge):
        await read_body(pieces(gzip.compress(b"\0" * 20_000_000), 65_536), "gzip", 50_000)


async def test_a_flood_can_be_cut_instead() -> None:
    assert await read_body(pieces(gzip.compress(b"ab" * 5000), 10), "gzip", 100, truncate=True) == b"ab" * 50


@pytest.mark.parametrize(
    ("data", "encoding"), [(b"x", "br"), (b"not gzip", "gzip"), (gzip.compress(b"cut", mtime=0)[:-9], "gzip")]
)
async def test_a_body_that_cannot_be_decoded_is_garbled(data: bytes, encoding: str) -> None:
    with pytest.raises(BodyGarbled):
        await read_body(pieces(data, 4), encoding, 1000)


@given(st.binary(max_size=300))
def test_a_gz_file_of_any_bytes_unpacks_to_them(data: bytes) -> None:
    assert inflate_gzip(gzip.compress(data), 300) == data

"""Uploaded pictures are told by their bytes and drawn anew."""

import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image

from app.core.errors import InvalidInput
from app.providers.pillow_picture import MAX_CHAT_BYTES, SIDE_PX, chat_picture, square_picture
from tests.doubles.sample_files import picture_file
from tests.every_row import every_row

SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def opened(body: bytes) -> Image.Image:
    return Image.open(BytesIO(body), formats=("WEBP",))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_it_becomes_a_small_square_with_the_whole_picture_in_its_middle(form: str) -> None:
    drawn = opened(square_picture(picture_file(form, (300, 150)))).convert("RGBA")
    assert drawn.size == (SIDE_PX, SIDE_PX)
    transparent, full = (drawn.getpixel((SIDE_PX // 2, y)) for y in (4, SIDE_PX // 2))
    assert isinstance(transparent, tuple)
    assert isinstance(full, tuple)
    assert (transparent[3], full[3]) == (0, 255)


def test_nothing_that_the_file_says_of_itself_is_kept_and_it_stands_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # orientation: turned by 90 degrees
    exif[0x010E] = "taken at home"
    body = square_picture(picture_file("JPEG", (300, 150), exif=exif))
    assert b"taken at home" not in body
    assert not opened(body).getexif()
    assert opened(body).convert("RGBA").getpixel((4, SIDE_PX // 2)) == (0, 0, 0, 0)  # it is high now, not wide


@every_row(
    "body",
    [b"", SVG, b"<html>", b"GIF89a", picture_file("GIF"), picture_file("BMP"), picture_file()[:60], b"RIFF....WEBP"],
    ids=["nothing", "SVG", "HTML", "the head of a GIF", "GIF", "BMP", "half a PNG", "the head of a WebP"],
)
def test_what_is_no_picture_of_the_three_kinds_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidInput, match="PNG, JPEG or WebP"):
        square_picture(body)


def test_a_picture_that_says_to_be_huge_is_refused_before_it_is_unpacked() -> None:
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 10_000)), (b"IEND", b"")]
    packed = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    ]
    with pytest.raises(InvalidInput, match="file"):
        square_picture(b"\x89PNG\r\n\x1a\n" + b"".join(packed))


def test_a_picture_of_a_chat_keeps_its_shape_and_is_bounded_in_bytes() -> None:
    noise = BytesIO()
    Image.effect_noise((2000, 1500), 100).convert("RGB").save(noise, "JPEG", quality=95)
    drawn = chat_picture(noise.getvalue())
    assert opened(drawn.body).size == (drawn.width, drawn.height)
    assert abs(drawn.width / drawn.height - 4 / 3) < 0.01
    assert len(drawn.body) <= MAX_CHAT_BYTES
    small = chat_picture(picture_file("GIF", (30, 20)))
    assert (small.width, small.height) == (30, 20)

"""Uploaded pictures, redrawn by Pillow: what is served has nothing of the file that was sent.

The library is imported with the first picture: most processes never see one.
"""

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Final

from app.core.errors import InvalidInput

if TYPE_CHECKING:
    from PIL.Image import Image as Pixels


SIDE_PX: Final = 128
MEDIA_TYPE: Final = "image/webp"
_FORMATS: Final = ("PNG", "JPEG", "WEBP")  # no other decoder is used, whatever the file's name
_MOST_PIXELS: Final = 16_000_000
_QUALITY: Final = 85
_CHAT_FORMATS: Final = (*_FORMATS, "GIF")
MAX_CHAT_BYTES: Final = 512 * 1024
# Longest side and quality: the next if the result is larger than MAX_CHAT_BYTES; the last never is.
_CHAT_SIZES: Final = ((1600, 80), (1200, 75), (640, 60))


@dataclass(frozen=True, slots=True)
class DrawnPicture:
    """A WebP and its size in pixels."""

    body: bytes
    width: int
    height: int


def chat_picture(body: bytes) -> DrawnPicture:
    """The whole picture, at most 1600 pixels wide and high and MAX_CHAT_BYTES large, without metadata; of an animation,
    the first frame. Raises InvalidInput for bytes that are no PNG, JPEG, WebP or GIF."""
    upright = _upright(body, _CHAT_FORMATS, "Send a PNG, JPEG, WebP or GIF picture.")
    for side, quality in _CHAT_SIZES:
        upright.thumbnail((side, side))
        drawn = _webp(upright, quality)
        if len(drawn) <= MAX_CHAT_BYTES:
            break
    return DrawnPicture(drawn, upright.width, upright.height)


def square_picture(body: bytes) -> bytes:
    """A WebP of `SIDE_PX` by `SIDE_PX` with the whole picture in the middle of a transparent background, without
    metadata; of an animation, the first frame. Raises InvalidInput for bytes that are no PNG, JPEG or WebP."""
    from PIL import Image, ImageOps

    upright = _upright(body, _FORMATS, "Send a PNG, JPEG or WebP picture. SVG is not taken.")
    small = ImageOps.contain(upright, (SIDE_PX, SIDE_PX))
    drawn = Image.new("RGBA", (SIDE_PX, SIDE_PX))
    drawn.paste(small, ((SIDE_PX - small.width) // 2, (SIDE_PX - small.height) // 2))
    return _webp(drawn, _QUALITY)


def _upright(body: bytes, formats: tuple[str, ...], wanted: str) -> "Pixels":
    """The first frame, rotated as its metadata requires. Raises InvalidInput, with `wanted` as the fix."""
    from PIL import Image, ImageOps

    try:
        with Image.open(BytesIO(body), formats=formats) as found:
            if found.width * found.height > _MOST_PIXELS:
                raise InvalidInput("file", "The picture has too many pixels. Make it smaller, such as 512 by 512.")
            upright = ImageOps.exif_transpose(found).convert("RGBA")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise InvalidInput("file", wanted) from error
    upright.info.clear()
    return upright


def _webp(pixels: "Pixels", quality: int) -> bytes:
    written = BytesIO()
    pixels.save(written, "WEBP", quality=quality)
    return written.getvalue()

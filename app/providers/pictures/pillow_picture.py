"""Pictures that somebody uploads, drawn anew by Pillow: what is served holds nothing of the file that was sent.

The library is imported with the first picture: most processes never see one.
"""

from io import BytesIO
from typing import Final

from app.core.errors import InvalidInput

SIDE_PX: Final = 128
MEDIA_TYPE: Final = "image/webp"
_FORMATS: Final = ("PNG", "JPEG", "WEBP")  # no other decoder is asked, whatever the file is called
_MOST_PIXELS: Final = 16_000_000
_QUALITY: Final = 85


def square_picture(body: bytes) -> bytes:
    """A WebP of `SIDE_PX` by `SIDE_PX`, the whole picture in its middle on a transparent ground, without metadata; of
    an animated one the first frame. Raises InvalidInput for what is none of PNG, JPEG and WebP by its bytes."""
    from PIL import Image, ImageOps

    try:
        with Image.open(BytesIO(body), formats=_FORMATS) as found:
            if found.width * found.height > _MOST_PIXELS:
                raise InvalidInput("file", "The picture has too many pixels. Make it smaller, such as 512 by 512.")
            upright = ImageOps.exif_transpose(found).convert("RGBA")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise InvalidInput("file", "Send a PNG, JPEG or WebP picture. SVG is not taken.") from error
    small = ImageOps.contain(upright, (SIDE_PX, SIDE_PX))
    drawn = Image.new("RGBA", (SIDE_PX, SIDE_PX))
    drawn.paste(small, ((SIDE_PX - small.width) // 2, (SIDE_PX - small.height) // 2))
    written = BytesIO()
    drawn.save(written, "WEBP", quality=_QUALITY)
    return written.getvalue()

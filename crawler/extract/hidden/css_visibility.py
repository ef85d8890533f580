"""Whether declarations hide: a whole element, inherited text, or text in the colour of its background."""

import re
from colorsys import hls_to_rgb

from crawler.extract.hidden.css_rules import Declarations

_PROPERTIES = """
display visibility opacity font font-size color background background-color background-image
background-clip -webkit-background-clip -webkit-text-fill-color position left right top bottom inset
margin margin-left margin-top text-indent clip clip-path width height max-width max-height
inline-size block-size overflow overflow-x overflow-y transform translate scale zoom filter
content-visibility z-index text-decoration text-decoration-line
transition transition-property
animation animation-name line-height letter-spacing mask mask-image -webkit-mask-image
"""
RELEVANT = frozenset(_PROPERTIES.split())
_HIDING_PROPERTIES = """
display content-visibility opacity filter margin margin-left margin-top text-indent translate transform position
clip clip-path scale zoom overflow overflow-x overflow-y mask mask-image -webkit-mask-image
"""
_HIDING = frozenset(_HIDING_PROPERTIES.split())

_LENGTH = re.compile(r"^([+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:e[+-]?\d+)?)\s*([a-z]+|%)?$")
_NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)")
_FONT_SIZE = re.compile(r"(?:^|\s)([+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[a-z]+|%)?)(?=\s|/|$)")
_PIXELS = {
    None: 1.0,
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "em": 16.0,
    "rem": 16.0,
    "ex": 8.0,
    "ch": 8.0,
    "in": 96.0,
}
_PIXELS |= {
    "cm": 37.8,
    "mm": 3.78,
    "q": 0.945,
    "vw": 12.8,
    "vh": 9.0,
    "vmin": 7.2,
    "vmax": 12.8,
    "dvh": 9.0,
    "lh": 20.0,
}
_FUNCTION = re.compile(r"(?:calc|min|max|clamp)\(([^()+*/]*)\)")
_OFF_SCREEN_PIXELS = -900.0
_SMALLEST_READABLE_PIXELS = 2.5
_LEAST_OPACITY = 0.06
_LARGEST = 1e9  # number that is told from larger ones
_NAMED = {
    "white": (255, 255, 255), "black": (0, 0, 0), "red": (255, 0, 0),
    "green": (0, 128, 0), "blue": (0, 0, 255), "yellow": (255, 255, 0),
    "gray": (128, 128, 128), "grey": (128, 128, 128), "silver": (192, 192, 192),
    "snow": (255, 250, 250), "ivory": (255, 255, 240), "ghostwhite": (248, 248, 255),
    "whitesmoke": (245, 245, 245), "floralwhite": (255, 250, 240), "mintcream": (245, 255, 250),
    "azure": (240, 255, 255), "canvas": (255, 255, 255), "aliceblue": (240, 248, 255),
    "seashell": (255, 245, 238), "linen": (250, 240, 230), "navy": (0, 0, 128),
    "lightgray": (211, 211, 211), "lightgrey": (211, 211, 211), "gainsboro": (220, 220, 220),
    "beige": (245, 245, 220), "lightyellow": (255, 255, 224), "honeydew": (240, 255, 240),
    "lavenderblush": (255, 240, 245), "oldlace": (253, 245, 230), "cornsilk": (255, 248, 220),
    "purple": (128, 0, 128), "orange": (255, 165, 0), "maroon": (128, 0, 0),
    "teal": (0, 128, 128), "lime": (0, 255, 0), "aqua": (0, 255, 255),
    "cyan": (0, 255, 255), "fuchsia": (255, 0, 255), "magenta": (255, 0, 255),
    "olive": (128, 128, 0), "darkgray": (169, 169, 169), "darkgrey": (169, 169, 169),
    "dimgray": (105, 105, 105), "dimgrey": (105, 105, 105), "pink": (255, 192, 203),
}  # fmt: skip
# Squared distance below which no reader can tell two RGB colours apart as text and background.
_SAME_COLOUR = 3 * 20**2

Rgb = tuple[int, int, int]
INK = "currentcolor"  # the colour of the text, as a background


def hides_element(style: Declarations) -> bool:
    """Whether nothing inside the element can be seen, whatever its descendants declare."""
    if _HIDING.isdisjoint(style):
        return False  # most styles
    return (
        style.get("display") == "none"
        or style.get("content-visibility") == "hidden"
        or (_is_see_through(style) and not _moves_in(style))
        or _is_off_screen(style)
        or _is_clipped_away(style)
        or _is_squeezed(style)
        or _is_masked(style)
    )


def hides_text(style: Declarations) -> bool | None:
    """Whether inherited properties hide the text below; None if the element declares none of them."""
    verdicts = [
        verdict
        for verdict in (_hides_by_visibility(style), _hides_by_size(style), _hides_by_spacing(style))
        if verdict is not None
    ]
    return any(verdicts) if verdicts else None


def strikes_out(style: Declarations) -> bool:
    """Whether a line goes through the text of the element."""
    drawn = [style[name] for name in style if name in {"text-decoration", "text-decoration-line"}]
    return bool(drawn) and "line-through" in drawn[-1]  # the last one declared


def text_colour(style: Declarations) -> Rgb | str | None:
    """The declared text colour; "transparent" for invisible text; None if none is declared or it is unknown."""
    value = style.get("-webkit-text-fill-color") or style.get("color")
    if value is None or "text" in (style.get("background-clip"), style.get("-webkit-background-clip")):
        return None
    return _colour(value)


def background_colour(style: Declarations) -> Rgb | str | None:
    """The declared background; "unknown" for pictures and gradients; None if the element shows what is behind it."""
    if style.get("background-image", "none") != "none":
        return "unknown"
    value = style.get("background-color") or style.get("background")
    if value is None:
        return None
    if value == "currentcolor":
        return INK
    if "url(" in value or "gradient(" in value or "var(" in value:
        return "unknown"
    for word in [value, *re.findall(r"(?<![a-z-])[a-z-]++\([^()]*+\)|#[0-9a-f]+|[a-z]+", value)]:
        colour = _colour(word)
        if colour is not None:
            return None if colour == "transparent" else colour
    return None


def is_same_colour(ink: Rgb | str | None, ground: Rgb | str) -> bool:
    """Whether text of colour `ink` is invisible on `ground`; "unknown" is never the same."""
    if ground == INK:
        return True
    if isinstance(ink, str) or isinstance(ground, str) or ink is None:
        return isinstance(ink, str) and ink.startswith("?") and ink == ground
    return sum((a - b) ** 2 for a, b in zip(ink, ground, strict=True)) <= _SAME_COLOUR


def _is_see_through(style: Declarations) -> bool:
    if style.get("animation", style.get("animation-name", "none")) not in {"none", "unset", "initial"}:
        return False  # it fades in
    opacity = _fraction(style.get("opacity"))
    shown = re.search(r"opacity\(([^)]*)\)", style.get("filter", ""))
    filtered = _fraction(shown[1]) if shown else None
    return any(value is not None and value < _LEAST_OPACITY for value in (opacity, filtered))


def _moves_in(style: Declarations) -> bool:
    """Whether a transparent element looks like the first frame of an animation that shows it: it is moved a little, or
    has a transition. Elements moved out of sight or shrunk to nothing are recognised elsewhere."""
    is_moved = re.match(r"(?:translate|scale|matrix3?d?\(1|perspective)", style.get("transform", "")) is not None
    return is_moved or "opacity" in style.get("transition", style.get("transition-property", ""))


def _is_off_screen(style: Declarations) -> bool:
    offsets = [style.get(name) for name in ("margin-left", "margin-top", "text-indent")]
    offsets += style.get("margin", "").split()
    offsets += re.findall(r"[+-]?[\d.]+[a-z%]*", style.get("translate", "") + _arguments(style, "translate"))
    if style.get("position", "static") not in {"static", "sticky"}:
        sides = [style.get(name) for name in ("left", "top", "right", "bottom")]
        sides += style.get("inset", "").split()
        offsets += sides
        far = [_pixels(style.get(name)) for name in ("left", "right")]
        if any(value is not None and value > 4000 for value in far):
            return True
        level = _number(style.get("z-index"))
        if level is not None and level <= -99:
            return True
    indent = style.get("text-indent", "")
    if indent.endswith("%") and (_number(indent) or 0) >= 100 and _keeps_overflow_in(style):
        return True
    for offset in offsets:
        pixels = _pixels(offset)
        if pixels is not None and pixels <= _OFF_SCREEN_PIXELS:
            return True
        if offset is not None and offset.endswith("%") and (_number(offset) or 0) <= -200:
            return True
    return False


def _is_clipped_away(style: Declarations) -> bool:
    clip = re.match(r"rect\(([^)]*)\)", style.get("clip", ""))
    if clip and style.get("position") in {"absolute", "fixed"}:
        edges = [_pixels(edge) for edge in re.split(r"[\s,]+", clip[1].strip())]
        if len(edges) == 4 and None not in edges:
            top, right, bottom, left = (edge or 0.0 for edge in edges)
            return bottom - top <= 1 or right - left <= 1
    path = style.get("clip-path", "")
    inset = re.match(r"inset\(([^)]*)\)", path)
    if inset:
        first = inset[1].split()[:1]
        return bool(first) and first[0].endswith("%") and (_number(first[0]) or 0) >= 50
    circle = re.match(r"(?:circle|ellipse)\(\s*([^)\s]*)", path)
    if circle:
        return (_pixels(circle[1]) or 0) <= 1 if _NUMBER.match(circle[1]) else False
    polygon = re.match(r"polygon\(([^)]*)\)", path)
    return bool(polygon) and len({point.strip() for point in (polygon[1] if polygon else "").split(",")}) == 1


def _is_squeezed(style: Declarations) -> bool:
    """Whether the element has no room and no overflow, or is scaled to nothing."""
    scales = _NUMBER.findall(style.get("scale", "")) + re.findall(
        r"scale(?:3d|x|y)?\(\s*([+-]?[\d.]+)(?:\s*,\s*([+-]?[\d.]+))?", style.get("transform", "")
    )
    for scale in scales:
        for part in (scale,) if isinstance(scale, str) else scale:
            if part and abs(_number(part) or 0) < 0.02:
                return True
    if (zoom := _number(style.get("zoom"))) is not None and 0 < zoom < 0.02:
        return True
    if re.search(r"rotate[xy]\(\s*-?90deg", style.get("transform", "")):
        return True
    if re.search(r"matrix\(\s*0\s*,\s*0\s*,\s*0\s*,\s*0\s*,", style.get("transform", "")):
        return True
    if not _keeps_overflow_in(style):
        return False
    sizes = [style.get(name) for name in ("width", "height", "max-width", "max-height", "inline-size", "block-size")]
    line_height = style.get("line-height", "")
    sizes.append(f"{line_height}em" if _NUMBER.fullmatch(line_height) else line_height)
    return any((pixels := _pixels(size)) is not None and pixels <= 1.5 for size in sizes)


def _keeps_overflow_in(style: Declarations) -> bool:
    values = {word for name in ("overflow", "overflow-x", "overflow-y") for word in style.get(name, "").split()}
    return bool(values & {"hidden", "clip", "auto", "scroll"})


def _is_masked(style: Declarations) -> bool:
    mask = style.get("mask-image") or style.get("-webkit-mask-image") or style.get("mask") or ""
    stops = re.match(r"linear-gradient\(([^()]*)\)", mask)
    return stops is not None and {stop.strip() for stop in stops[1].split(",")} <= {"transparent", "to right"}


def _hides_by_visibility(style: Declarations) -> bool | None:
    value = style.get("visibility")
    return None if value is None else value in {"hidden", "collapse"}


def _hides_by_spacing(style: Declarations) -> bool | None:
    """Whether letters are drawn on top of each other."""
    pixels = _pixels(style.get("letter-spacing"))
    return None if pixels is None else pixels <= -8


def _hides_by_size(style: Declarations) -> bool | None:
    value = style.get("font-size")
    if value is None:
        shorthand = _FONT_SIZE.search(style.get("font", ""))
        value = shorthand[1] if shorthand else None
    if value is None:
        return None
    if value.endswith("%"):
        return (_number(value) or 0) < 100 * _SMALLEST_READABLE_PIXELS / 16
    pixels = _pixels(value)
    return False if pixels is None else pixels < _SMALLEST_READABLE_PIXELS


def _colour(value: str) -> Rgb | str | None:
    value = value.strip()
    if value == "transparent":
        return "transparent"
    if value in _NAMED:
        return _NAMED[value]
    if found := re.fullmatch(r"#([0-9a-f]{3,8})", value):
        digits = found[1]
        if len(digits) in (3, 4):
            digits = "".join(digit * 2 for digit in digits)
        if len(digits) == 8 and int(digits[6:], 16) < 255 * _LEAST_OPACITY:
            return "transparent"
        return (int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)) if len(digits) in (6, 8) else None
    if found := re.fullmatch(r"(rgb|hsl)a?\(([^)]*)\)", value):
        parts = [part for part in re.split(r"[\s,/]+", found[2].strip()) if part]
        if len(parts) == 4 and (_fraction(parts[3]) or 0) < _LEAST_OPACITY:
            return "transparent"
        if found[1] == "rgb" and len(parts) >= 3:
            red, green, blue = (_channel(part) for part in parts[:3])
            return red, green, blue
        if found[1] == "hsl" and len(parts) >= 3:
            hue = (_number(parts[0].removesuffix("deg")) or 0.0) % 360 / 360
            red, green, blue = (
                round(255 * part) for part in hls_to_rgb(hue, _fraction(parts[2]) or 0.0, _fraction(parts[1]) or 0.0)
            )
            return red, green, blue
    if value in {"inherit", "initial", "unset", "revert", "auto", "none", "currentcolor"} or "var(" in value:
        return None
    return f"?{value}" if "(" in value else None  # colours in other notations can still be compared


def _channel(part: str) -> int:
    number = _number(part) or 0.0
    return max(0, min(255, round(number * 2.55 if part.endswith("%") else number)))


def _fraction(part: str | None) -> float | None:
    number = _number(part)
    return number / 100 if number is not None and part is not None and part.strip().endswith("%") else number


def _number(value: str | None) -> float | None:
    found = _LENGTH.match(_plain(value)) if value else None
    return _finite(found[1]) if found else None


def _finite(number: str) -> float:
    """The number, however large it is written."""
    return max(-_LARGEST, min(_LARGEST, float(number)))


def _pixels(value: str | None) -> float | None:
    """A length in pixels, with 16 to the em; None for percentages, `auto` and anything that is no length."""
    if value is None:
        return None
    value = _plain(value)
    if value.startswith("calc("):
        return _calculated(value)
    found = _LENGTH.match(value)
    factor = _PIXELS.get(found[2]) if found else None
    return _finite(found[1]) * factor if found and factor is not None else None


def _plain(value: str) -> str:
    """`calc(0)` is 0; `min()`, `max()` and `clamp()` of the same lengths are that length."""
    value = value.strip()
    found = _FUNCTION.fullmatch(value)
    terms = {term.strip() for term in found[1].split(",")} if found else set()
    return terms.pop() if len(terms) == 1 and " - " not in value else value


def _calculated(value: str) -> float | None:
    """`calc(-100vw - 20px)`: the first length decides; products are not supported."""
    found = re.match(r"calc\(\s*([+-]?[\d.]+[a-z]+)", value)
    return _pixels(found[1]) if found and "*" not in value and "/" not in value else None


def _arguments(style: Declarations, function: str) -> str:
    found = re.findall(function + r"(?:3d|x|y|z)?\(([^)]*)\)", style.get("transform", ""))
    return " " + " ".join(found).replace(",", " ")

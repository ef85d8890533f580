"""The features by which a run of text is judged: lengths, links, positions, similarity to other boxes.

They are independent of the text's language. Class names are one weak feature of many.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log1p
from typing import Final

from crawler.extract.rails.text_runs import Box, Content, Run, headings_of

FEATURES: Final = (
    "levels",  # from the box of the page's text up to the first box that contains the run too
    "part links",  # share of links in the run's part, the outermost box around it beside or within the text
    "part prose",
    "part pictures",
    "part run",  # mean length of its runs
    "box prose",  # share of prose in the box around the run's own box
    "box runs",  # number of runs in the next larger box
    "alike",  # largest number of sibling boxes with the same tag and classes, up to the part
    "named",  # number of boxes around it with a class name of frames
    "place",
    "sentence",  # whether it ends like a sentence
    "length",
    "words",
    "links",
    "cell",
    "plain box",
    "section",  # length of the section that it is in
    "page prose",
    "caption",  # whether it is near a picture
    "shared words",  # share of its words that other prose of the page has
    "digits",
    "ellipsis",  # whether it is cut off
    "prose left",  # share of the page's prose from here on
    "last links",  # of the run before
    "last length",
    "next links",
    "next length",
)
_SENTENCE_END: Final = re.compile(r"[.!?…。！？:][\"'»”’)]*\s*$")
_NAME: Final = re.compile(
    r"relat|teaser|author|autor|tags?\b|comment|komment|newsletter|recommend|promo|widget|foot|meta\b|share|social"
    r"|popular|byline|respond|recirc|similar|upsell|carousel|slider|rating|copyright"
)
_CELLS: Final = frozenset({"td", "th", "dt", "dd"})
_PLAIN: Final = frozenset({"div", "section", "article", "a", "span"})
_MOST_PICTURES: Final = 5
_FIGURES: Final = frozenset({"figure", "figcaption"})
_NEAR: Final = 3  # boxes
_WORD: Final = re.compile(r"\w{4,}")
_CUT_OFF: Final = ("…", "...", "[…]", "[...]")


def run_features(content: Content) -> Iterator[list[float]]:
    """The features of each run, in the order of FEATURES; values are about 0 to 12, or -1 without a neighbour."""
    root, way = content.root, {id(box): box for box in content.way}
    total = max(1, root.chars)
    alike, named = _alike_and_named(root)
    chars_before = 0
    left = root.prose
    below = _section_lengths(content.runs)
    shared = _shared_words(content.runs)
    beside = [None, *content.runs, None]
    for at, (run, section) in enumerate(zip(content.runs, below, strict=True)):
        around = list(run.box.outward())
        up = next(place for place, box in enumerate(around) if id(box) in way)
        part = around[up - 1] if up else run.box
        box = run.box.above or run.box
        next_box = box.above or box
        yield [
            float(len(content.way) - 1 - around[up].depth),
            part.linked / max(1, part.chars),
            part.prose / max(1, part.chars),
            float(min(part.pictures, _MOST_PICTURES)),
            log1p(part.chars / max(1, part.last - part.first)),
            box.prose / max(1, box.chars),
            log1p(next_box.last - next_box.first),
            log1p(max((alike[id(each)] for each in around[:up]), default=0)),
            float(sum(named[id(each)] for each in around[:-1])),
            chars_before / total,
            float(_SENTENCE_END.search(run.text[-8:]) is not None),
            log1p(run.chars),
            log1p(run.text.count(" ") + 1),
            run.linked / max(1, run.chars),
            float(run.box.node.tag in _CELLS),
            float(run.box.node.tag in _PLAIN),
            log1p(section),
            root.prose / total,
            float(any(each.node.tag in _FIGURES for each in around[:_NEAR])),
            shared[at],
            sum(map(str.isdigit, run.text)) / len(run.text),
            float(run.text.endswith(_CUT_OFF)),
            left / max(1, root.prose),
            *_links_and_length(beside[at]),
            *_links_and_length(beside[at + 2]),
        ]
        chars_before += run.chars
        left -= run.chars - run.linked if run.is_prose else 0


def _shared_words(runs: Sequence[Run]) -> list[float]:
    """The share of each run's longer words that occur in other sentences of the page."""
    words = [set(_WORD.findall(run.text.lower())) for run in runs]
    counts = Counter(word for run, own in zip(runs, words, strict=True) if run.is_prose for word in own)
    in_prose, often = set(counts), {word for word, count in counts.items() if count > 1}
    return [
        len(own & (often if run.is_prose else in_prose)) / max(1, len(own))
        for run, own in zip(runs, words, strict=True)
    ]


def _links_and_length(run: Run | None) -> tuple[float, float]:
    return (run.linked / max(1, run.chars), log1p(run.chars)) if run is not None else (-1.0, -1.0)


def _section_lengths(runs: Sequence[Run]) -> list[int]:
    """The length of the section that each run is in, without its heading."""
    headings = headings_of(runs)
    lengths = Counter[int]()
    for place, (run, heading) in enumerate(zip(runs, headings, strict=True)):
        lengths[heading] += run.chars if place != heading else 0
    return [lengths[heading] for heading in headings]


def _alike_and_named(root: Box) -> tuple[dict[int, int], dict[int, bool]]:
    """By the id of each box: how many of its siblings, itself included, have its tag and classes; and whether its class
    or id is a name of frames."""
    alike, named = {id(root): 0}, {id(root): _is_named(root.node.attributes)}
    waiting = [root]
    while waiting:
        within = waiting.pop().within
        signs = []
        for box in within:
            attributes = box.node.attributes
            signs.append((box.node.tag, attributes.get("class")))
            named[id(box)] = _is_named(attributes)
        counts = Counter(signs)
        for box, sign in zip(within, signs, strict=True):
            alike[id(box)] = counts[sign]
        waiting += within
    return alike, named


def _is_named(attributes: Mapping[str, str | None]) -> bool:
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    return len(names) > 1 and _NAME.search(names.lower()) is not None

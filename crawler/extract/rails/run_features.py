"""What is measured of each run of text to tell a page's text from what stands around it.

Nothing here knows a language: lengths, links, places, what is alike. Names of classes count as one weak sign of many.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log1p
from typing import Final

from crawler.extract.html_tree import HEADING_TAGS
from crawler.extract.rails.text_runs import Box, Content, Run

FEATURES: Final = (
    "levels",  # from the text's box up to the first one that holds both
    "part links",  # the part: what stands beside the text, or directly in it; its share of links
    "part prose",
    "part pictures",
    "part run",  # mean length
    "box prose",  # of the box around the run's own
    "box runs",  # in the next one
    "alike",  # boxes of the same tag and classes beside it, at most, up to the part
    "named",  # boxes around it with a name of frames
    "place",
    "sentence",  # it ends like one
    "length",
    "words",
    "links",
    "cell",
    "plain box",
    "section",  # length of what stands below its heading
    "page prose",
    "caption",  # of a picture
    "shared words",  # of the run, with the page's prose elsewhere
    "digits",
    "ellipsis",  # it is cut off
    "prose left",  # of the page's, from here on
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
    """In the order of FEATURES, for each run; in [0, 12] or so."""
    root, way = content.root, {id(box): box for box in content.way}
    total = max(1, root.chars)
    alike, named = _alike(root), _named(root)
    told = 0
    left = root.prose
    below = section_lengths(content.runs)
    shared = _shared_words(content.runs)
    beside = [None, *content.runs, None]
    for at, (run, section) in enumerate(zip(content.runs, below, strict=True)):
        around = list(_around(run.box))
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
            told / total,
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
        told += run.chars
        left -= run.chars - run.linked if run.is_prose else 0


def _shared_words(runs: Sequence[Run]) -> list[float]:
    """The share of each run's longer words that other sentences of the page have: the text speaks of one thing."""
    words = [set(_WORD.findall(run.text.lower())) for run in runs]
    told = Counter(word for run, own in zip(runs, words, strict=True) if run.is_prose for word in own)
    return [
        sum(told[word] > run.is_prose for word in own) / max(1, len(own)) for run, own in zip(runs, words, strict=True)
    ]


def _links_and_length(run: Run | None) -> tuple[float, float]:
    return (run.linked / max(1, run.chars), log1p(run.chars)) if run is not None else (-1.0, -1.0)


def sections(runs: Sequence[Run]) -> list[int]:
    """The place of the heading above each run, which a heading is itself; -1 above the first."""
    found, heading = [], -1
    for place, run in enumerate(runs):
        heading = place if run.box.node.tag in HEADING_TAGS else heading
        found.append(heading)
    return found


def section_lengths(runs: Sequence[Run]) -> list[int]:
    headings = sections(runs)
    lengths = Counter[int]()
    for place, (run, heading) in enumerate(zip(runs, headings, strict=True)):
        lengths[heading] += run.chars if place != heading else 0
    return [lengths[heading] for heading in headings]


def _around(box: Box) -> Iterator[Box]:
    above: Box | None = box
    while above is not None:
        yield above
        above = above.above


def _alike(root: Box) -> dict[int, int]:
    """How many boxes beside each have its tag and classes, with itself, by id."""
    found = {id(root): 0}
    waiting = [root]
    while waiting:
        box = waiting.pop()
        signs = [(each.node.tag, each.node.attributes.get("class")) for each in box.within]
        counts = Counter(signs)
        found |= {id(each): counts[sign] for each, sign in zip(box.within, signs, strict=True)}
        waiting += box.within
    return found


def _named(root: Box) -> dict[int, bool]:
    found: dict[int, bool] = {}
    waiting = [root]
    while waiting:
        box = waiting.pop()
        attributes = box.node.attributes
        names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
        found[id(box)] = len(names) > 1 and _NAME.search(names.lower()) is not None
        waiting += box.within
    return found

"""HTML to a tree, unless a tag has so many attributes that a parser would not come to an end.

The parser compares each attribute of a tag with all that the tag has already: 200,000 of them take minutes.
"""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from crawler.errors import ExtractionFailed

MAX_ATTRIBUTES: Final = 1000  # of one tag; pages have dozens
# A comment, or a tag; with a script or style sheet its text, in which "<" begins no tag.
_ATTRIBUTE = r"""[\s/]++[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'>][^\s>]*+)?+)?+"""
_TAG = re.compile(
    r"<!--(?:-?>|.*?(?:-->|\Z))|<(?:(script|style)(?=[\s/>])|[a-z][^\s/>]*+)"
    rf"(?:{_ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}+({_ATTRIBUTE})?+(?(1).*?(?:</\1|\Z))",
    re.IGNORECASE | re.DOTALL,
)


def parse_html(html: str) -> LexborHTMLParser:
    """Raises ExtractionFailed when a tag has more than `MAX_ATTRIBUTES`."""
    for tag in _TAG.finditer(html):
        if tag[2]:
            raise ExtractionFailed(f"a tag of the page has more than {MAX_ATTRIBUTES:,} attributes")
    return LexborHTMLParser(html)

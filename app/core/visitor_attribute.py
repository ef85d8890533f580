"""What a website reports about its visitor, such as a plan or a product."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VisitorAttribute:
    """`is_signed`: the website's server vouches for it. Otherwise, a browser or a page sent it, and it may be
    made up.
    """

    name: str
    value: str
    is_signed: bool

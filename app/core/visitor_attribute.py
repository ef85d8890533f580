"""What a website tells of its visitor, such as a plan or a product."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VisitorAttribute:
    """`is_signed`: the website's server vouches for it. Else a browser or a page said so, and it may be made up."""

    name: str
    value: str
    is_signed: bool

"""What a website reports about its visitor, such as a plan or a product."""

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True, slots=True)
class VisitorAttribute:
    name: str
    value: str
    is_signed: Annotated[bool, "Whether the website's server signed it. If not, it may be false."]

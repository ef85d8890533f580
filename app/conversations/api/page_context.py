"""The context that a visitor's page sends with a question. Untrusted, like everything from a browser."""

import json
import unicodedata
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from app.core.errors import InvalidInput
from app.web.model import Model, example

MAX_BYTES = 8192


@example(title="Pricing", description="What it costs.", headings=["Team plan"])
class PageContext(Model):
    """The allow-listed parts of a page."""

    title: str = Field(default="", max_length=MAX_BYTES)
    description: str = Field(default="", max_length=MAX_BYTES)
    og: dict[str, str] = Field(default_factory=dict, description="Open Graph properties by name.")
    json_ld: list[Any] | dict[str, Any] = Field(default_factory=list, description="The page's JSON-LD.")
    headings: tuple[str, ...] = ()
    text: str = Field(default="", max_length=MAX_BYTES, description="The text of the main content.")


def _shape(value: object) -> str:
    return "as-text" if isinstance(value, str) else "as-object"


# The context comes as an object, or as text that the widget made of it.
AnyPageContext = Annotated[
    Annotated[PageContext, Tag("as-object")] | Annotated[str, Tag("as-text")], Discriminator(_shape)
]


def flattened(context: PageContext | str | None) -> str:
    """The context as one text, independent of the order of its keys. Raises InvalidInput above 8 KB."""
    text = _plain(context if isinstance(context, str) else _joined(context or PageContext()))
    size = len(text.encode())
    if size > MAX_BYTES:
        raise InvalidInput("page_context", f"This has {size} bytes. Use at most {MAX_BYTES}.")
    return text


def _joined(context: PageContext) -> str:
    parts = [context.title, context.description]
    parts += [f"{name}: {value}" for name, value in sorted(context.og.items())]
    parts += context.headings
    parts.append(context.text)
    if context.json_ld:
        parts.append(json.dumps(context.json_ld, sort_keys=True, ensure_ascii=False, separators=(",", ":")))
    return "\n".join(part.strip() for part in parts if part.strip())


def _plain(text: str) -> str:
    """Without control characters, which no page shows."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) != "Cc").strip()

"""What request and response bodies are made of."""

from typing import Any

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """What comes in and goes out: strict types, no unknown fields, no infinite numbers."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, from_attributes=True, defer_build=True
    )


class Multipart(Model):
    """Read from a multipart body."""


def without_defaults(schema: dict[str, Any]) -> None:
    """For the schema of a PATCH: what it leaves out keeps its value, so a default would mislead."""
    for described in schema["properties"].values():
        described.pop("default", None)

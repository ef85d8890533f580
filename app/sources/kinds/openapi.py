"""The operations of an API, by its OpenAPI description, which `openapi_reference` reads."""

from typing import Final

from app.core.errors import InvalidInput
from app.sources.listed.document_list import DocumentList, ListedKind, ListedSource
from app.sources.source import SourceConfig


class OpenApi(ListedKind):
    page_url_form = (
        "Link to an operation",
        "Can contain {operation}, {tag}, {method} and {path}. Leave blank to link to the document.",
        "https://docs.example.com/api#/{tag}/{operation}",
    )

    def check(self, config: SourceConfig) -> None:
        place = config.page_url
        if place and "{operation}" not in place and not ("{method}" in place and "{path}" in place):
            raise InvalidInput(
                "page_url", "Each operation needs its own address. Include {operation}, or {method} and {path}."
            )


def _opened(source: ListedSource) -> DocumentList:
    from app.sources.listed.openapi_reference import OpenApiReference  # brings YAML, which few processes need

    return OpenApiReference(source)


OPENAPI: Final = OpenApi(
    "openapi", "OpenAPI description", _opened, "page_url", address="https://api.example.com/openapi.json"
)

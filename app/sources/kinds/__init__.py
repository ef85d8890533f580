"""The kinds of sources: those that read a website, those whose pages operators give, and a module for each vendor or
format. Another kind is a class, its value and its entry in `KINDS`."""

from typing import Final

from app.sources.kinds.confluence import CONFLUENCE as CONFLUENCE
from app.sources.kinds.discourse import DISCOURSE as DISCOURSE
from app.sources.kinds.git import GIT as GIT
from app.sources.kinds.given import DOCUMENTS as DOCUMENTS
from app.sources.kinds.given import FILE as FILE
from app.sources.kinds.given import TEXT as TEXT
from app.sources.kinds.intercom import INTERCOM as INTERCOM
from app.sources.kinds.notion import NOTION as NOTION
from app.sources.kinds.openapi import OPENAPI as OPENAPI
from app.sources.kinds.website import FEED as FEED
from app.sources.kinds.website import SITE as SITE
from app.sources.kinds.website import SITEMAP as SITEMAP
from app.sources.kinds.website import URL as URL
from app.sources.kinds.zendesk import ZENDESK as ZENDESK
from app.sources.source import SourceKind

# In the order in which the API lists them.
KINDS: Final = (
    SITE, URL, SITEMAP, FEED, ZENDESK, INTERCOM, DISCOURSE, NOTION, CONFLUENCE, OPENAPI, GIT, TEXT, FILE, DOCUMENTS,
)  # fmt: skip


def kind_named(value: str) -> SourceKind:
    return next(kind for kind in KINDS if kind.value == value)

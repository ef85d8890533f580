"""A Discourse forum by its API (https://docs.discourse.org): a topic is its first post and the accepted answer."""

import re
from collections.abc import AsyncIterator
from typing import Final

from app.sources.listed.document_list import (
    ApiAccess,
    Article,
    DocumentList,
    JsonApi,
    ListedKind,
    ListedSource,
    day_of,
    object_of,
    objects_of,
    text_of,
)
from app.sources.source import AccessKind

_CATEGORY: Final = re.compile(r"/c/[^?#]{1,300}?/\d{1,9}(?=/|$)")
_MAX_PAGES: Final = 5000


class Discourse(DocumentList):
    """Lists the topics of the category in the source's address ("/c/help/5"), else of the whole forum."""

    def __init__(self, source: ListedSource) -> None:
        self._api = JsonApi(source)

    async def articles(self) -> AsyncIterator[Article]:
        """Unlisted topics are left out, and so are those that the API shows only to their authors."""
        category = _CATEGORY.search(self._api.start.path)
        path = f"{category[0]}.json" if category else "/latest.json"
        for number in range(_MAX_PAGES):
            page = object_of(await self._api.get(f"{path}?page={number}"), "topic_list")
            topics = objects_of(page, "topics")
            for each in topics:
                key, slug = text_of(each, "id"), text_of(each, "slug")
                if key and each.get("visible") is not False and each.get("archetype", "regular") == "regular":
                    bumped = text_of(each, "bumped_at")
                    yield Article(
                        url=f"{self._api.start.origin}/t/{slug or '-'}/{key}",
                        title=text_of(each, "title"),
                        changed=f"{bumped} {text_of(each, 'posts_count')} {each.get('has_accepted_answer') is True}",
                        key=key,
                        modified=day_of(bumped),
                    )
            if not topics or not text_of(page, "more_topics_url"):
                return

    async def text(self, article: Article) -> str:
        topic = await self._api.get(f"/t/{article.key}.json")
        posts = objects_of(object_of(topic, "post_stream"), "posts")
        accepted = next((text_of(each, "cooked") for each in posts[1:] if each.get("accepted_answer") is True), "")
        first = text_of(posts[0], "cooked") if posts else ""
        return f"{first}<h2>Accepted answer</h2>{accepted}" if accepted else first


DISCOURSE: Final = ListedKind(
    "discourse",
    "Discourse",
    Discourse,
    address="https://forum.example.com",
    access=ApiAccess(AccessKind.HEADER, "Api-Key", "If the forum is not public: an API key."),
)

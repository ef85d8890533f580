"""Help centres on a loopback site, which answer as their vendors' API descriptions say."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.doubles.loopback_site import LoopbackSite, Reply

Json = dict[str, Any]
PAGE = 2  # articles of one answer: small, so that every list has several


@dataclass
class HelpCentreDouble:
    """`articles` may be changed between two readings; `token` is the Authorization that every call must have."""

    site: LoopbackSite
    articles: list[Json] = field(default_factory=list)
    token: str = ""
    busy: int = 0  # calls to refuse with 429 first

    def serve(self, path: str, answer: Callable[[Mapping[str, str]], Json]) -> None:
        def reply(headers: Mapping[str, str]) -> Reply:
            if self.token and headers.get("authorization") != self.token:
                return Reply(401)
            if self.busy:
                self.busy -= 1
                return Reply(429, headers={"Retry-After": "7"})
            query = parse_qs(urlsplit(self.site.asked[-1][0]).query)
            body = json.dumps(answer({name: values[0] for name, values in query.items()})).encode()
            return Reply(200, body, {"Content-Type": "application/json; charset=utf-8"})

        self.site.routes[path] = reply

    def serve_zendesk(self) -> None:
        """GET /api/v2/help_center/{locale}/articles, paged by cursor."""
        root = "/api/v2/help_center/en-us/articles.json?page%5Bsize%5D=100"

        def listed(start: int) -> Callable[[Mapping[str, str]], Json]:
            def answer(_: Mapping[str, str]) -> Json:
                end = start + PAGE
                path = f"{root}&page%5Bafter%5D={end}"
                self.serve(path, listed(end))
                return {
                    "articles": self.articles[start:end],
                    "meta": {"has_more": end < len(self.articles), "after_cursor": str(end)},
                    "links": {"next": f"{self.site.origin}{path}"},
                }

            return answer

        self.serve(root, listed(0))

    def serve_intercom(self) -> None:
        """GET /articles, paged by number."""
        for number in range(1, 10):
            self.serve(f"/articles?per_page=50&page={number}", self._intercom)

    def _intercom(self, query: Mapping[str, str]) -> Json:
        number = int(query["page"])
        pages = -(-len(self.articles) // PAGE)
        shown = self.articles[(number - 1) * PAGE : number * PAGE]
        return {"type": "list", "data": shown, "pages": {"type": "pages", "page": number, "total_pages": pages}}

    def serve_discourse(self, path: str, posts: Mapping[int, Sequence[Json]]) -> None:
        """GET /c/{slug}/{id}.json or /latest.json, and /t/{id}.json of each topic."""

        def listed(query: Mapping[str, str]) -> Json:
            start = int(query["page"]) * PAGE
            told: Json = {"topics": self.articles[start : start + PAGE]}
            if start + PAGE < len(self.articles):
                told["more_topics_url"] = "/more"
            return {"topic_list": told}

        for number in range(10):
            self.serve(f"{path}?page={number}", listed)
        for key, of_topic in posts.items():
            self.serve(f"/t/{key}.json", lambda _, shown=of_topic: {"post_stream": {"posts": shown}})  # type: ignore[misc]

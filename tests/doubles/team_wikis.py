"""Notion and Confluence Cloud on a loopback site, which answer as their vendors' documentation says."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.doubles.loopback_site import LoopbackSite, Reply, Route

Json = dict[str, Any]
PAGE = 2  # results of one answer: small, so that every list has several


def _answering(site: LoopbackSite, token: str, answer: Callable[[Mapping[str, str]], Json | Reply]) -> Route:
    """With the query of the request's address."""

    def reply(headers: Mapping[str, str]) -> Reply:
        if headers.get("authorization") != token:
            return Reply(401)
        query = parse_qs(urlsplit(site.asked[-1][0]).query)
        said = answer({name: values[0] for name, values in query.items()})
        if isinstance(said, Reply):
            return said
        return Reply(200, json.dumps(said).encode(), {"Content-Type": "application/json; charset=utf-8"})

    return reply


def _cut(results: Sequence[Json], cursor: str) -> tuple[Sequence[Json], str | None]:
    start = int(cursor or 0)
    end = start + PAGE
    return results[start:end], str(end) if end < len(results) else None


@dataclass
class NotionDouble:
    """POST /v1/search and /v1/data_sources/{id}/query, GET /v1/databases/{id} and /v1/blocks/{id}/children.

    https://developers.notion.com/reference/post-search, .../query-a-data-source, .../get-block-children,
    .../request-limits
    """

    site: LoopbackSite
    pages: list[Json] = field(default_factory=list)
    token: str = "Bearer ntn_1"
    busy: int = 0  # searches to refuse with 429 first

    def serve(self) -> None:
        self.site.routes["/v1/search"] = _answering(self.site, self.token, self._search)

    def _search(self, _: Mapping[str, str]) -> Json | Reply:
        if self.busy:
            self.busy -= 1
            return Reply(429, b'{"object":"error","status":429,"code":"rate_limited"}', {"Retry-After": "7"})
        assert json.loads(self.site.posted[-1])["filter"] == {"property": "object", "value": "page"}
        return self._posted(self.pages)

    def _posted(self, results: Sequence[Json]) -> Json:
        asked = json.loads(self.site.posted[-1])
        assert asked["page_size"] == 100
        shown, after = _cut(results, asked.get("start_cursor", ""))
        return {"object": "list", "results": shown, "next_cursor": after, "has_more": after is not None}

    def serve_database(self, key: str, **data_sources: Sequence[Json]) -> None:
        listed = [{"id": each, "name": each} for each in data_sources]
        told: Json = {"object": "database", "id": key, "data_sources": listed}
        self.site.routes[f"/v1/databases/{key}"] = _answering(self.site, self.token, lambda _: told)
        for name, rows in data_sources.items():
            route = _answering(self.site, self.token, lambda _, rows=rows: self._posted(rows))  # type: ignore[misc]
            self.site.routes[f"/v1/data_sources/{name}/query"] = route

    def serve_blocks(self, key: str, *blocks: Json) -> None:
        """A block's `below` are its children."""

        def listed(query: Mapping[str, str]) -> Json:
            shown, after = _cut(blocks, query.get("start_cursor", ""))
            told = [{name: value for name, value in each.items() if name != "below"} for each in shown]
            return {"object": "list", "results": told, "next_cursor": after, "has_more": after is not None}

        for start in range(0, max(len(blocks), 1), PAGE):
            place = f"&start_cursor={start}" if start else ""
            path = f"/v1/blocks/{key}/children?page_size=100{place}"
            self.site.routes[path] = _answering(self.site, self.token, listed)
        for each in blocks:
            if each["has_children"]:
                self.serve_blocks(each["id"], *each["below"])


@dataclass
class ConfluenceDouble:
    """GET /wiki/api/v2/spaces, /spaces/{id}/pages, /pages and /pages/{id}.

    https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-page/ and .../api-group-space/
    """

    site: LoopbackSite
    pages: list[Json] = field(default_factory=list)
    bodies: dict[str, str] = field(default_factory=dict)
    token: str = "Basic YW5uQGV4YW1wbGUuY29tOnRva2Vu"  # ann@example.com:token

    def serve(self) -> None:
        def of_key(query: Mapping[str, str]) -> Json:
            return {"results": [{"id": "65", "key": "HELP"}] if query["keys"] == "HELP" else [], "_links": {}}

        for key in ("HELP", "NONE"):
            self._serve(f"/wiki/api/v2/spaces?keys={key}", of_key)
        for path in ("/wiki/api/v2/spaces/65/pages", "/wiki/api/v2/pages"):
            for start in range(0, 10, PAGE):
                place = f"&cursor={start}" if start else ""
                self._serve(f"{path}?status=current&limit=250{place}", lambda query, path=path: self._list(path, query))  # type: ignore[misc]
        for key, body in self.bodies.items():
            told = {"id": key, "body": {"storage": {"representation": "storage", "value": body}}}
            self._serve(f"/wiki/api/v2/pages/{key}?body-format=storage", lambda _, told=told: told)  # type: ignore[misc]

    def _serve(self, path: str, answer: Callable[[Mapping[str, str]], Json]) -> None:
        self.site.routes[path] = _answering(self.site, self.token, answer)

    def _list(self, path: str, query: Mapping[str, str]) -> Json:
        shown, after = _cut(self.pages, query.get("cursor", ""))
        links = {"base": f"{self.site.origin}/wiki"}
        if after:
            links["next"] = f"{path}?status=current&limit=250&cursor={after}"
        return {"results": shown, "_links": links}

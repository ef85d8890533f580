"""Which links of its sources an answer may have, and how a model reads them."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from app.answers.guard.output_guard import is_on_host
from app.answers.writing.answer_context import AnswerContext, Source
from app.core.page_url import host_of
from app.core.text.markdown.links import TextLink, as_markdown, linked

_MOST_FOR_MODEL: Final = 12  # of a source: each takes some ten tokens, and a list of links answers little


def link_hosts(context: AnswerContext) -> frozenset[str]:
    """The hosts of the sources, and those that the agent's operator lists: "example.com" or "*.example.com"."""
    hosts = frozenset(host for source in context.sources if (host := host_of(source.url)))
    return hosts | {host.casefold().removeprefix("*") for host in context.agent.allowed_link_hosts}


def link_targets(context: AnswerContext, *, is_model: bool) -> frozenset[str]:
    """The targets that may be linked whatever their host: for a quotation, all links of its page; for a model, which a
    page's text may have captured, only mail addresses and telephone numbers."""
    targets = (link.target for source in context.sources for link in source.links)
    return frozenset(target for target in targets if not is_model or _is_address(target))


def text_for_model(source: Source, hosts: frozenset[str]) -> str:
    """The source's text with those links that a model may repeat, without the source's own origin."""
    parts = urlsplit(source.url)
    return (
        _with_links(source.text, source.links, f"{parts.scheme}://{parts.netloc}/", hosts)
        if source.links
        else source.text
    )


@lru_cache(maxsize=128)  # many answers use the same sections
def _with_links(text: str, links: Sequence[TextLink], origin: str, hosts: frozenset[str]) -> str:
    def write(label: str, target: str) -> str:
        return as_markdown(label, f"/{target.removeprefix(origin)}" if target.startswith(origin) else target)

    usable = (link for link in links if _is_address(link.target) or is_on_host(link.target, hosts))
    return linked(text, islice(usable, _MOST_FOR_MODEL), write)


def _is_address(target: str) -> bool:
    return target.lower().startswith(("mailto:", "tel:"))

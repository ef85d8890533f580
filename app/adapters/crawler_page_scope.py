"""PageScope by our own crawler package, which reads the source later."""

from collections.abc import Iterable, Sequence

from app.adapters.crawler_site_reader import scope_of
from app.domain.errors import InvalidInput
from app.domain.source import SourceConfig, SourceKind
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.errors import UrlRefused
from crawler.scope import page_key
from crawler.url_rules import check_url, normalise_url


class CrawlerPageScope:
    """`allowed` endpoints are those that the reading may dial although they are private."""

    def __init__(self, allowed: Iterable[Endpoint] = ()) -> None:
        self._policy = AddressPolicy(frozenset(allowed))

    def canonical(self, source: SourceConfig, urls: Sequence[str]) -> list[str]:
        try:
            start = check_url(source.url.strip(), self._policy)
        except UrlRefused as error:
            raise InvalidInput("source_id", f"The source's own address cannot be read: {error.reason}.") from error
        scope = scope_of(source, start)
        found: dict[str, None] = {}
        for number, text in enumerate(urls):
            try:
                spelt = normalise_url(text.strip(), self._policy)
                url = check_url(spelt, self._policy)
            except UrlRefused as error:
                raise InvalidInput(f"urls.{number}", f"This address cannot be read: {error.reason}.") from error
            is_other_page = source.kind is SourceKind.URL and page_key(url) != page_key(start)
            if is_other_page or not scope.allows(url):
                raise InvalidInput(f"urls.{number}", "This lies outside the source. Leave it out, or widen the source.")
            found[spelt] = None
        return list(found)

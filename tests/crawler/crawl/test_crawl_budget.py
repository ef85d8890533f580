from crawler.crawl.crawl_summary import CrawlBudget, TrapFilter
from crawler.url_rules import check_url


def admitted(filter_: TrapFilter, *paths: str) -> list[bool]:
    return [filter_.refusal(check_url(f"https://example.com{path}")) is None for path in paths]


def test_a_path_that_repeats_itself_is_a_trap() -> None:
    assert admitted(TrapFilter(CrawlBudget()), "/a/b/a/b/a/b", "/a/b/a/b/a/b/a") == [True, False]


def test_a_path_has_only_so_many_queries() -> None:
    filter_ = TrapFilter(CrawlBudget(max_query_variants=2))
    assert admitted(filter_, "/c?d=1", "/c?d=2", "/c?d=3", "/c?d=1", "/c", "/e?d=1") == [
        True,
        True,
        False,
        True,
        True,
        True,
    ]

"""Docent's crawler beside Scrapy: pages per second over the same site, and the pages that each of them read.

The site is Debian's PostgreSQL and Python documentation on loopback, from the memory of a process of its own. Both
crawlers run in fresh processes, one after the other and in changing order, with the same extraction processes, the
same concurrency and the same start; both follow the links that the same reader finds.
"""

import argparse
import json
import multiprocessing
import statistics
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from multiprocessing.connection import Connection

from bench.crawling import by_docent
from bench.crawling.site import documentation_online, missing_documentation
from bench.crawling.task import CrawlResult, CrawlTask
from bench.results import leave_out

Run = Callable[[CrawlTask, Connection], None]


def main() -> None:
    arguments = _arguments()
    if lacking := _lacking():
        leave_out("crawl_vs_scrapy", lacking, as_json=arguments.json)
        return
    from bench.crawling import by_scrapy

    crawlers: dict[str, Run] = {"docent": by_docent.run, "scrapy": by_scrapy.run}
    results: dict[str, list[CrawlResult]] = {name: [] for name in crawlers}
    with documentation_online() as origin:
        task = CrawlTask(origin, arguments.concurrency, arguments.workers, arguments.max_pages)
        for number in range(arguments.rounds):
            for name in list(crawlers)[:: -1 if number % 2 else 1]:
                results[name].append(_in_a_process(crawlers[name], task))
                if not arguments.json:
                    print(f"{name:>8} {_speed(results[name][-1]):7.1f} pages/s", flush=True)
    report = _report(results["docent"], results["scrapy"], task)
    if arguments.json:
        seconds_a_page = {name: 1 / statistics.median(map(_speed, runs)) for name, runs in results.items()}
        ratios = {"crawl_vs_scrapy": seconds_a_page["docent"] / seconds_a_page["scrapy"]}
        print(json.dumps({"ratios": ratios, **report}))
        return
    print(_text(report))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2, help="extraction processes; 0 = links only")
    parser.add_argument("--max-pages", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _lacking() -> str:
    """What this machine lacks for the comparison."""
    if find_spec("scrapy") is None:
        return "Scrapy is not installed: pip install -e '.[bench]'"
    missing = missing_documentation()
    return f"Install the documentation first: apt install {' '.join(missing)}" if missing else ""


def _in_a_process(run: Run, task: CrawlTask) -> CrawlResult:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=run, args=(task, theirs))
    process.start()
    theirs.close()
    result: CrawlResult = ours.recv()
    process.join()
    return result


def _speed(result: CrawlResult) -> float:
    return len(result.pages) / result.seconds


def _report(docent: list[CrawlResult], scrapy: list[CrawlResult], task: CrawlTask) -> dict[str, object]:
    ours, theirs = docent[-1], scrapy[-1]
    only_theirs = theirs.pages - ours.pages
    return {
        "concurrency": task.concurrency,
        "workers": task.workers,
        "pages": {"docent": len(ours.pages), "scrapy": len(theirs.pages)},
        "chars": {"docent": ours.chars, "scrapy": theirs.chars},
        "pages_per_second": {
            "docent": round(statistics.median(map(_speed, docent)), 1),
            "scrapy": round(statistics.median(map(_speed, scrapy)), 1),
        },
        "ratio": round(statistics.median(map(_speed, docent)) / statistics.median(map(_speed, scrapy)), 2),
        "only_docent": sorted(ours.pages - theirs.pages)[:50],
        "only_scrapy": dict(Counter(ours.others.get(url, "not asked for") for url in only_theirs)),
        "only_scrapy_urls": sorted(only_theirs)[:50],
    }


def _text(report: dict[str, object]) -> str:
    return "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in report.items())


if __name__ == "__main__":
    main()

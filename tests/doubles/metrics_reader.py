"""A scraper of /metrics."""

from typing import Final

import httpx2

METRICS_TOKEN: Final = "the-token-of-a-scraper"
AS_SCRAPER: Final = {"Authorization": f"Bearer {METRICS_TOKEN}"}


async def read_metrics(http: httpx2.AsyncClient, base: str = "") -> str:
    """From a server with METRICS_TOKEN in its settings."""
    answer = await http.get(f"{base}/metrics", headers=AS_SCRAPER)
    assert answer.status_code == 200, answer.text
    return answer.text

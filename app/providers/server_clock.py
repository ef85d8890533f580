"""The time at an HTTP server."""

from email.utils import parsedate_to_datetime

import httpx

from app.core.errors import Unavailable

_SECONDS = 5.0


async def server_clock(url: str) -> float:
    """Seconds since the epoch, from the `Date` of its response, whatever its status; whole ones. Raises Unavailable."""
    try:
        async with httpx.AsyncClient(timeout=_SECONDS) as http:
            answer = await http.head(url)
        return parsedate_to_datetime(answer.headers["date"]).timestamp() + 0.5
    except (httpx.HTTPError, httpx.InvalidURL, KeyError, ValueError) as error:
        raise Unavailable(f"{url} does not say what time it is.") from error

"""How much one caller may ask of the edge, in one place."""

from dataclasses import dataclass

from app.ports.rate_limiter import Limit


@dataclass(frozen=True, slots=True)
class LimitsPolicy:
    """Addresses are counted as IPv4 addresses and IPv6 /64 networks."""

    init_per_address: Limit = Limit(60, 60)
    questions_per_address: Limit = Limit(60, 60)
    questions_per_visitor: Limit = Limit(20, 60)
    questions_per_agent: Limit = Limit(1200, 60)
    other_calls_per_visitor: Limit = Limit(240, 60)
    calls_per_api_token: Limit = Limit(1200, 60)


@dataclass(frozen=True, slots=True)
class StreamPolicy:
    """How answer streams are written.

    `gather_ms`: after the first token, tokens of this time go out as one frame; 0 sends each alone.
    `drain_seconds`: how long a live stream may go on after the process was told to end.
    """

    gather_ms: int = 30
    ping_seconds: float = 15
    send_timeout_seconds: float = 10
    drain_seconds: float = 20

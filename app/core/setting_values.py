"""Values that settings and the adapters they choose share, apart from what the adapters import."""

from typing import Final, Literal

ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]

USER_AGENT: Final = "DocentBot/1.0 (website assistant; obeys robots.txt)"

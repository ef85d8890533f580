"""The features of this distribution: a line each. Without any, the core is a product of its own."""

from typing import Any, Final

from app.actions.feature import FEATURE as ACTIONS
from app.agent_files.feature import FEATURE as AGENT_FILES
from app.channels.feature import FEATURE as CHANNELS
from app.feature import Features
from app.gaps.pull_requests.feature import FEATURE as PULL_REQUESTS
from app.leads.feature import FEATURE as LEADS
from app.live_chat.feature import FEATURE as LIVE_CHAT
from app.page_search.feature import FEATURE as PAGE_SEARCH
from app.reports.feature import FEATURE as REPORTS
from app.stale_answers.feature import FEATURE as STALE_ANSWERS
from app.webhooks.channels.feature import FEATURE as NOTICE_CHANNELS
from app.webhooks.notices.feature import FEATURE as NOTICES
from app.webhooks.tickets.feature import FEATURE as HELP_DESKS

FEATURES: Final = Features(
    (
        LEADS,
        LIVE_CHAT,
        ACTIONS,
        PAGE_SEARCH,
        AGENT_FILES,
        NOTICES,
        NOTICE_CHANNELS,
        HELP_DESKS,
        PULL_REQUESTS,
        STALE_ANSWERS,
        REPORTS,
        CHANNELS,
    )
)


def unfilled(features: Features) -> dict[Any, None]:
    """The ports of the core that no feature fills."""
    from app.gaps.gap_replays import GapNews

    return dict.fromkeys({GapNews} - features.fills.keys())

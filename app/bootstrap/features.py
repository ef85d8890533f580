"""Lists the features of this distribution, without which the core still works. Other packages add features by entry
points of the group `docent.features`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from app.actions import FEATURE as ACTIONS
from app.agent_files import FEATURE as AGENT_FILES
from app.channels import FEATURE as CHANNELS
from app.core.errors import Misconfigured
from app.feature import Feature, Features
from app.gaps.pull_requests import FEATURE as PULL_REQUESTS
from app.leads import FEATURE as LEADS
from app.live_chat import FEATURE as LIVE_CHAT
from app.mailbox import FEATURE as MAILBOX
from app.messengers import FEATURE as MESSENGERS
from app.page_search import FEATURE as PAGE_SEARCH
from app.past_questions import FEATURE as PAST_CONVERSATIONS
from app.reports import FEATURE as REPORTS
from app.site_report import FEATURE as SITE_REPORTS
from app.stale_answers import FEATURE as STALE_ANSWERS
from app.webhooks.channels import FEATURE as NOTICE_CHANNELS
from app.webhooks.notices import FEATURE as NOTICES
from app.webhooks.tickets import FEATURE as HELP_DESKS

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

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
        MAILBOX,
        MESSENGERS,
        PULL_REQUESTS,
        STALE_ANSWERS,
        REPORTS,
        SITE_REPORTS,
        PAST_CONVERSATIONS,
        CHANNELS,
    )
)
GROUP: Final = "docent.features"


@cache
def installed_features() -> Features:
    """The features of this process. Raises Misconfigured."""
    from importlib.metadata import entry_points

    return features_of(entry_points(group=GROUP))


def features_of(found: Iterable[EntryPoint]) -> Features:
    """The features of this distribution and of the entry points. Raises Misconfigured, naming the faulty package."""
    features = {feature.name: feature for feature in FEATURES}
    for point in sorted(found, key=lambda point: point.name):
        feature = _loaded(point)
        if feature.name in features:
            raise Misconfigured(f'{_package(point)} has a feature "{feature.name}", which is there already. Rename it.')
        features[feature.name] = feature
    return Features(features.values())


def _loaded(point: EntryPoint) -> Feature:
    try:
        feature = point.load()
    except Exception as error:
        raise Misconfigured(
            f"{_package(point)} cannot be loaded as a feature ({point.value}): {error!r}. Correct or uninstall it."
        ) from error
    if not isinstance(feature, Feature):
        raise Misconfigured(f"{_package(point)} names {point.value}, which is no Feature. Correct or uninstall it.")
    return feature


def _package(point: EntryPoint) -> str:
    name = point.dist.name if point.dist else point.value.partition(":")[0]
    return f"The package {name}"


def unfilled(features: Features) -> dict[Any, None]:
    """The ports of the core that no feature fills."""
    from app.gaps.gap_replays import GapNews

    return dict.fromkeys({GapNews} - features.fills.keys())

"""Whatever operators can do by the API they can do at the console, and each setting of an agent has its field."""

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Final

from app.agents.agent import AgentConfig
from app.agents.pages.agent_settings import InvitationForm, InvitationTextForm, SettingsForm, TranslationForm
from app.agents.retrieval_settings import RetrievalSettings
from app.agents.widget_settings import Fallback, Invitation, InvitationText, Theme, Translation
from app.bootstrap.application import endpoints_of
from app.core.actor import MANAGE, READ, WRITE
from app.core.search_filter import SearchFilter
from app.core.setting import settings_of
from app.search.pages import SearchForm
from app.web.access import ScopedAccess
from tests.web.console.page_examples import every_page
from tests.web.house import uninhabited

# Which page does what an operation does, where its name differs: `listLeads` is `leads`, `deleteLead` is `delete_lead`.
OTHER_NAMES: Final[Mapping[str, str]] = {
    "createAgent": "make_agent",
    "listAgents": "home",
    "getAgent": "agent_settings",
    "editAgent": "save_settings",
    "rollBackAgent": "roll_back",
    "getAgentBudget": "spending",
    "getAgentCosts": "spending",
    "suggestStarterPrompts": "first_questions",
    "getUserSecretState": "signed_users",
    "getUserIssuer": "signed_users",
    "createSource": "add_source",
    "syncSource": "read_source",
    "estimateReindex": "reindex",
    "listSourcePages": "source",
    "getSourceText": "source",
    "discoverSources": "look_at_site",
    "getFile": "source",
    "resumeSource": "read_source",
    "listDocuments": "source",
    "listPassages": "learnt_page",
    "getSchedule": "source_upkeep",
    "clearSchedule": "set_schedule",
    "getSourceAccess": "source_upkeep",
    "searchAgent": "search_settings",
    "listTickets": "help_desk",
    "createNoticeChannel": "add_notice_channel",
    "createChatModel": "add_chat_model",
    "editChatModel": "save_chat_model",
    "createWebhook": "add_webhook",
    "deleteWebhook": "remove_webhook",
    "listDeadLetters": "webhooks",
    "deleteDocument": "delete_page",
    "getFindings": "quarantined_page",
    "releaseDocument": "release_page",
    "dismissDocument": "dismiss_page",
    "rehearseCuratedAnswer": "save_curated_answer",
    "createCuratedAnswer": "add_curated_answer",
    "editCuratedAnswer": "save_curated_answer",
    "listCuratedEdits": "curated_answer",
    "listCuratedUses": "curated_answer",
    "streamPlayground": "ask_playground",
    "runGoldenQuestions": "run_golden",
    "listGoldenRuns": "golden",
    "createGoldenQuestion": "add_golden",
    "listGoldenQuestions": "golden",
    "importGoldenQuestions": "import_golden",
    "editGoldenQuestion": "save_golden",
    "deleteGoldenQuestion": "delete_golden",
    "mergeGaps": "merge_gap",
    "settleGaps": "ignore_gaps",
    "resolveGap": "prove_gap",
    "listLabels": "conversations",
    "listLiveChats": "live",
    "takeLiveChat": "take_live",
    "replyLiveChat": "reply_live",
    "operatorTypes": "type_live",
    "handBackLiveChat": "hand_back_live",
    "transferLiveChat": "transfer_live",
    "createSavedReply": "add_saved_reply",
    "editSavedReply": "save_saved_reply",
    "fillSavedReplies": "live_chat",
    "draftCuratedAnswer": "new_curated_answer",
    "makeGoldenQuestion": "make_golden",
    "getThresholdCurve": "threshold",
    "getOverview": "home",
    "getAgentReport": "report",
    "exportAgentReport": "export_report",
    "createOperator": "add_operator",
    "editOperator": "set_role",
    "createToken": "issue_token",
}
# What only a program does.
NOT_FOR_PEOPLE: Final[Mapping[str, str]] = {
    "putDocuments": "up to 1000 documents as JSON lines; people write texts and upload files",
    "callOperatorToolsByMcp": "an assistant's way to what the pages show",
}


def test_every_operation_of_operators_has_its_page() -> None:
    pages = {page.name for page in every_page()}
    without = {operation for operation in _of_operators() if _page_of(operation) not in pages}
    assert without == NOT_FOR_PEOPLE.keys()


def test_a_page_is_named_here_only_where_its_name_differs() -> None:
    assert OTHER_NAMES.keys() <= _of_operators().keys()
    pages = {page.name for page in every_page()}
    assert [operation for operation in OTHER_NAMES if _own_names(operation) & pages] == []


def test_what_an_operation_changes_a_form_changes() -> None:
    is_form = {page.name: page.method == "POST" for page in every_page()}
    asking = {"searchAgent"}  # a POST that changes nothing
    for operation, method in _of_operators().items():
        if operation not in NOT_FOR_PEOPLE:
            assert is_form[_page_of(operation)] or method == "GET" or operation in asking, operation


def _of_operators() -> dict[str, str]:
    """The method of each operation."""
    return {
        endpoint.operation: endpoint.method
        for endpoint in endpoints_of(uninhabited(), "0")
        if isinstance(endpoint.access, ScopedAccess) and endpoint.access.scope in (READ, WRITE, MANAGE)
    }


def _page_of(operation: str) -> str:
    """ "" for one without."""
    names = _own_names(operation) & {page.name for page in every_page()}
    return OTHER_NAMES.get(operation) or next(iter(names), "")


def _own_names(operation: str) -> set[str]:
    name = re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", operation)
    return {name, re.sub("^(list|get|search|watch)_", "", name)}


def test_each_setting_of_an_agent_has_its_field() -> None:
    parts = {"theme": Theme, "fallback": Fallback}
    elsewhere = {"retrieval", "translations", "invitations"}
    wanted = {each.name for each in fields(AgentConfig)} - parts.keys() - elsewhere
    wanted |= {f"{part}_{each.name}" for part, kind in parts.items() for each in fields(kind)}
    wanted -= {"theme_picture"}  # a file, with a form of its own: set_agent_picture
    assert set(SettingsForm.model_fields) == wanted
    assert set(TranslationForm.model_fields) == {each.name for each in fields(Translation)} - {"invitations"}
    assert set(InvitationForm.model_fields) == {each.name for each in fields(Invitation)}
    assert set(InvitationTextForm.model_fields) == {each.name for each in fields(InvitationText)} | {"language"}


def test_the_filter_of_search_has_its_fields() -> None:
    filters = {f"filter_{each.name}" for each in fields(SearchFilter)}
    assert set(SearchForm.model_fields) == {*settings_of(RetrievalSettings), *filters}

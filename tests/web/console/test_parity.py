"""Whatever operators can do by the API they can do at the console, and each setting of an agent has its field."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Final

from app.agents.agent import AgentConfig, Fallback, Theme
from app.agents.pages.agent_settings import SettingsForm
from app.agents.retrieval_settings import RetrievalSettings
from app.bootstrap.application import endpoints_of
from app.core.actor import MANAGE, READ, WRITE
from app.core.search_filter import SearchFilter
from app.search.pages import GROUPS, SearchForm
from app.web.access import ScopedAccess
from tests.web.console.page_examples import every_page
from tests.web.house import uninhabited

# Which page does what each operation does.
PAGE_OF: Final[Mapping[str, str]] = {
    "createAgent": "make_agent",
    "listAgents": "home",
    "getAgent": "agent_settings",
    "editAgent": "save_settings",
    "publishAgent": "publish_agent",
    "rollBackAgent": "roll_back",
    "getAgentBudget": "spending",
    "getAgentCosts": "spending",
    "listAgentVersions": "agent_versions",
    "suggestStarterPrompts": "first_questions",
    "makeUserSecret": "make_user_secret",
    "getUserSecretState": "signed_users",
    "removeUserSecret": "remove_user_secret",
    "createSource": "add_source",
    "listSources": "sources",
    "getSource": "source",
    "syncSource": "read_source",
    "listSourcePages": "source",
    "editSource": "edit_source",
    "getSourceText": "source",
    "discoverSources": "look_at_site",
    "uploadFile": "upload_file",
    "replaceFile": "replace_file",
    "getFile": "source",
    "downloadFile": "download_file",
    "cancelSource": "cancel_source",
    "pauseSource": "pause_source",
    "resumeSource": "read_source",
    "watchSource": "source",
    "listDocuments": "source",
    "listPassages": "learnt_page",
    "previewReading": "preview_reading",
    "makeHook": "make_hook",
    "removeHook": "remove_hook",
    "finishDeletion": "finish_deletion",
    "getSchedule": "source_upkeep",
    "setSchedule": "set_schedule",
    "clearSchedule": "set_schedule",
    "searchAgent": "search_settings",
    "listWebhooks": "webhooks",
    "createWebhook": "add_webhook",
    "deleteWebhook": "remove_webhook",
    "listDeadLetters": "webhooks",
    "retryDeadLetter": "retry_dead_letter",
    "getDeletion": "deletion",
    "deleteDocument": "delete_page",
    "deleteSource": "delete_source",
    "deleteAgent": "delete_agent",
    "listQuarantine": "quarantine",
    "getFindings": "quarantined_page",
    "releaseDocument": "release_page",
    "dismissDocument": "dismiss_page",
    "rehearseCuratedAnswer": "save_curated_answer",
    "createCuratedAnswer": "add_curated_answer",
    "listCuratedAnswers": "curated_answers",
    "getCuratedAnswer": "curated_answer",
    "editCuratedAnswer": "save_curated_answer",
    "deleteCuratedAnswer": "delete_curated_answer",
    "listCuratedEdits": "curated_answer",
    "restoreCuratedAnswer": "restore_curated_answer",
    "listCuratedUses": "curated_answer",
    "askPlayground": "ask_playground",
    "streamPlayground": "ask_playground",
    "runGoldenQuestions": "run_golden",
    "listGoldenRuns": "golden",
    "getGoldenRun": "golden_run",
    "createGoldenQuestion": "add_golden",
    "listGoldenQuestions": "golden",
    "importGoldenQuestions": "import_golden",
    "editGoldenQuestion": "save_golden",
    "deleteGoldenQuestion": "delete_golden",
    "listGaps": "gaps",
    "ignoreGap": "ignore_gap",
    "reopenGap": "reopen_gap",
    "exportGaps": "export_gaps",
    "getGap": "gap",
    "editGap": "edit_gap",
    "mergeGaps": "merge_gap",
    "splitGap": "split_gap",
    "settleGaps": "ignore_gaps",
    "replayGap": "replay_gap",
    "resolveGap": "prove_gap",
    "suggestAnswer": "suggest_answer",
    "listConversations": "conversations",
    "exportConversations": "export_conversations",
    "getConversation": "conversation",
    "editConversation": "edit_conversation",
    "editConversations": "edit_conversations",
    "addNote": "add_note",
    "removeNote": "remove_note",
    "listLabels": "conversations",
    "listLeads": "leads",
    "exportLeads": "export_leads",
    "editLead": "assign_lead",
    "listLiveChats": "live",
    "getLiveChat": "live_chat",
    "takeLiveChat": "take_live",
    "replyLiveChat": "reply_live",
    "handBackLiveChat": "hand_back_live",
    "flagTurn": "flag_turn",
    "draftCuratedAnswer": "new_curated_answer",
    "makeGoldenQuestion": "make_golden",
    "exportVisitor": "export_visitor",
    "eraseVisitor": "erase_visitor",
    "eraseConversation": "erase_conversation",
    "getQuality": "quality",
    "getThresholdCurve": "threshold",
    "getOverview": "home",
    "getReport": "report",
    "exportReport": "export_report",
    "getAgentReport": "report",
    "exportAgentReport": "export_report",
    "listAudit": "audit",
    "listOperators": "operators",
    "createOperator": "add_operator",
    "editOperator": "set_role",
    "deleteOperator": "delete_operator",
    "listTokens": "tokens",
    "createToken": "issue_token",
    "revokeToken": "revoke_token",
}
# What only a program does.
NOT_FOR_PEOPLE: Final[Mapping[str, str]] = {
    "putDocuments": "up to 1000 documents as JSON lines; people write texts and upload files",
    "callOperatorToolsByMcp": "an assistant's way to what the pages show",
}


def test_every_operation_of_operators_has_its_page() -> None:
    operators = {
        endpoint.operation
        for endpoint in endpoints_of(uninhabited(), "0")
        if isinstance(endpoint.access, ScopedAccess) and endpoint.access.scope in (READ, WRITE, MANAGE)
    }
    assert operators == PAGE_OF.keys() | NOT_FOR_PEOPLE.keys()
    assert set(PAGE_OF.values()) <= {page.name for page in every_page()}


def test_what_an_operation_changes_a_form_changes() -> None:
    methods = {endpoint.operation: endpoint.method for endpoint in endpoints_of(uninhabited(), "0")}
    is_form = {page.name: page.method == "POST" for page in every_page()}
    asking = {"searchAgent"}  # a POST that changes nothing
    for operation, page in PAGE_OF.items():
        assert is_form[page] or methods[operation] == "GET" or operation in asking, operation


def test_each_setting_of_an_agent_has_its_field() -> None:
    parts = {"theme": Theme, "fallback": Fallback}
    wanted = {each.name for each in fields(AgentConfig)} - {"theme", "fallback", "retrieval"}
    wanted |= {f"{part}_{each.name}" for part, kind in parts.items() for each in fields(kind)}
    assert set(SettingsForm.model_fields) == wanted


def test_each_setting_of_search_has_its_field_and_stands_in_one_group() -> None:
    plain = [each.name for each in fields(RetrievalSettings) if each.name != "filter"]
    grouped = [name for _, names in GROUPS for name in names]
    assert sorted(grouped) == sorted(plain)
    filters = {f"filter_{each.name}" for each in fields(SearchFilter)}
    assert set(SearchForm.model_fields) == {*plain, *filters}

"""For each page of the console: what its path names, and for each form a right way to fill it."""

import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pyotp

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.agents.retrieval_settings import RetrievalSettings
from app.bootstrap.application import pages_of
from app.core.source_file import Upload
from app.web.console.page import ConsolePage
from app.workspaces.operator import Role
from app.workspaces.operators import Operators
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.messenger_services import SLACK_SIGNING, SLACK_TOKEN
from tests.doubles.shop_api import SHOP
from tests.doubles.small_github import PRICING, version_of
from tests.web.console.browser import PASSWORD, ConsoleBrowser, Value, an_operator
from tests.web.house import PAGE, Belongings, House, uninhabited
from tests.web.request_bodies import A_CHALLENGE, A_CHANNEL, A_REDIRECT
from tests.web.route_examples import FILE, PICTURE, FurnishedHouse, furnished

TOTP_SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
CODE = pyotp.TOTP(TOTP_SECRET).at(int(FixedClock().now().timestamp()))

# A right form for each POST, whose answer leads on; `{gap_id}` and the like stand for the ids of the furnished house.
FORMS: Mapping[str, Mapping[str, Value]] = {
    "do_sign_in": {"email": "admin@example.com", "password": PASSWORD},
    "choose_workspace": {},
    "create_first_account": {"token": "x", "email": "ann@example.com", "password": PASSWORD},
    "sign_out": {},
    "change_password": {"current_password": PASSWORD, "new_password": "another long password"},
    "ignore_gaps": {"gap_ids": ["{gap_id}"], "note": "not ours"},
    "prove_gaps": {"gap_ids": ["{gap_id}"]},
    "take_back_gaps": {"gap_ids": ["{gap_id}"], "note": "not ours"},
    "edit_gap": {"assignee": "editor@example.com", "note": "ask the warehouse"},
    "ignore_gap": {"reason": "not ours"},
    "reopen_gap": {},
    "close_gap": {"reason": "told them"},
    "merge_gap": {"gap_ids": "{other_gap}"},
    "split_gap": {"turn_id": "{split_turn}"},
    "answer_gap": {"trigger": "phrase", "pattern": "cost", "answer": "It costs 12 euros."},
    "rehearse_gap": {"trigger": "phrase", "pattern": "cost", "answer": "It costs 12 euros."},
    "suggest_answer": {"answer": "Yes."},
    "set_repository": {"owner": "nimbrel", "name": "website", "branch": "main", "patterns": "docs/{path}.md"},
    "remove_repository": {},
    "create_action": {
        "name": "stock",
        "title": "In stock",
        "description": "How many are left.",
        "url": f"{SHOP}/stock?item={{item}}",
        "arguments.0.name": "item",
        "arguments.0.kind": "string",
        "arguments.0.is_required": "true",
        "fixed": "customer={{visitor.id}}",
        "header_value": "Bearer t",
    },
    "edit_action": {
        "name": "order_status",
        "title": "Your order",
        "description": "Where an order is.",
        "url": f"{SHOP}/orders",
        "forget_headers": "true",
    },
    "delete_action": {},
    "try_action": {"arguments.order": "A-17", "visitor.id": "ann"},
    "read_page_file": {"page_url": PAGE},
    "open_pull_request": {"page_url": PAGE, "text": f"{PRICING}\nPay by invoice.\n", "version": version_of(PRICING)},
    "settle_stale_answers": {"stale_answer_ids": ["{stale_answer_id}"], "state": "settled"},
    "accept_stale_answer": {"answer_contains": "10 to 17"},
    "rewrite_stale_answer": {"answer": "From 10 to 17."},
    "set_threshold": {"confidence_threshold": "25"},
    "replay_gap": {},
    "prove_gap": {},
    "save_settings": {
        "name": "Docs",
        "max_answer_chars": "900",
        "confidence_threshold": "50",
        "retention_days": "30",
        "disconnect_grace_seconds": "10",
        "allowed_origins": "https://www.example.com\r\nhttps://docs.example.com",
    },
    "save_search_settings": {
        **{each.name: str(getattr(RetrievalSettings(), each.name)) for each in fields(RetrievalSettings)},
        "vector_weight": "2",
        "filter_path_prefixes": "/docs/",
        "filter_attributes": "plan=pro\r\nplan=basic",
    },
    "compare_search_settings": {},
    "set_retrieval_preset": {"preset": "reference"},
    "read_without_tls": {},
    "make_user_secret": {},
    "remove_user_secret": {},
    "set_user_issuer": {
        "issuer": "https://id.example.com/",
        "audience": "docs",
        "jwks_url": "https://id.example.com/keys",
    },
    "remove_user_issuer": {},
    "delete_agent": {"name": "Docs"},
    "delete_page": {},
    "set_schedule": {"every_hours": "24"},
    "make_hook": {},
    "remove_hook": {},
    "preview_reading": {},
    "set_source_access": {"kind": "basic", "name": "docent", "secret": "a password"},
    "clear_source_access": {},
    "save_translation": {"language": "de", "greeting": "Guten Tag!", "starter_prompts": "Wann?"},
    "delete_translation": {"language": "de"},
    "save_invitation": {"name": "sizes", "text": "Too small?", "pages": "/shop/*", "after_seconds": "5"},
    "save_invitation_text": {"name": "returns", "language": "de", "text": "Passt es nicht?"},
    "delete_invitation": {"name": "returns"},
    "start_reindex": {},
    "set_first_questions": {"starter_prompts": ["When are you open?"], "own": "Do you ship to Malta?"},
    "publish_agent": {},
    "pause_agent": {},
    "resume_agent": {},
    "roll_back": {"number": "1"},
    "list_console": {},
    "look_at_agent_file": {"file": Upload("agent.yaml", b"settings: {tone: short}")},
    "apply_agent_file": {"text": "settings: {tone: short}"},
    "decide": {
        "decision": "allow",
        "client_id": "{oauth_client}",
        "redirect_uri": A_REDIRECT,
        "response_type": "code",
        "code_challenge": A_CHALLENGE,
        "code_challenge_method": "S256",
        "resource": "{oauth_resource}",
    },
    "issue_token": {"name": "deploy script", "scopes": ["read", "write"], "days": "30"},
    "revoke_token": {},
    "add_operator": {"email": "new@example.com", "role": "viewer", "password": PASSWORD},
    "add_passkey": {"name": "My laptop", "password": PASSWORD},
    "remove_passkey": {"passkey": "00000000-0000-4000-8000-000000000000", "own_password": PASSWORD},
    "do_passkey_sign_in": {},
    "invite_operator": {"email": "bob@example.com", "role": "viewer"},
    "make_password_link": {},
    "ask_for_link": {"email": "admin@example.com"},
    "use_password_link": {"token": "{link_token}", "password": "another long password"},
    "leave_workspace": {},
    "switch_on_second_factor": {"secret": TOTP_SECRET, "code": CODE, "password": PASSWORD},
    "switch_off_second_factor": {"own_password": PASSWORD},
    "add_workspace": {"name": "Shop", "email": "ann@shop.example", "password": PASSWORD},
    "set_role": {"role": "editor"},
    "set_password": {"password": "another long password"},
    "look_at_site": {"look": "www.example.com"},
    "add_help_centre": {"kind": "discourse", "url": "forum.example.com/c/help/5"},
    "add_source": {"kind": "text", "name": "Holidays", "text": "We are closed on Sundays."},
    "read_source": {},
    "pause_source": {},
    "cancel_source": {},
    "edit_source": {"name": "Docs", "exclude": "/old/*"},
    "delete_source": {},
    "make_agent": {"name": "Ada", "website": "www.example.com/help/"},
    "disable_operator": {},
    "enable_operator": {},
    "delete_operator": {},
    "upload_file": {"file": Upload(*FILE), "name": "", "url": "https://www.example.com/manual"},
    "replace_file": {"file": Upload(*FILE)},
    "set_agent_picture": {"file": Upload(*PICTURE)},
    "remove_agent_picture": {},
    "edit_conversations": {"conversation_ids": ["{conversation_id}"], "do": "label", "label": "shipping"},
    "edit_conversation": {"do": "close", "back": "state=all"},
    "create_saved_filter": {"kind": "gaps", "name": "This week", "query": "days=7"},
    "rename_saved_filter": {"name": "Of this week"},
    "delete_saved_filter": {},
    "edit_lead": {"do": "assign", "assignee": "editor@example.com"},
    "edit_leads": {"lead_ids": ["{lead_id}"], "do": "done", "back": "state=all"},
    "send_transcript": {"email": "ann@example.com"},
    "add_note": {"text": "Called the warehouse."},
    "remove_note": {},
    "erase_visitor": {},
    "erase_conversation": {},
    "flag_turn": {},
    "release_page": {},
    "dismiss_page": {},
    "add_golden": {"question": "Open on Sunday?", "pages": "https://www.example.com/hours", "language": ""},
    "import_golden": {"csv": "question,pages\nOpen on Monday?,https://www.example.com/hours\n"},
    "run_golden": {},
    "compare_models": {"models": ["usual", "none"]},
    "lost_answers": {},
    "order_site_report": {"source_id": "{read_source}", "questions": "Can I pay by invoice?"},
    "import_past_conversations": {"kind": "csv", "file": Upload("asked.csv", b"question\nWhere is it?\n"), "top": "20"},
    "save_golden": {"question": "When are you open?", "pages": ""},
    "delete_golden": {},
    "add_curated_answer": {"trigger": "exact", "pattern": "Open on Sunday?", "answer": "No."},
    "save_curated_answer": {"trigger": "phrase", "pattern": "open hours", "answer": "From 9 to 17.", "priority": "5"},
    "switch_curated_answer": {"is_on": "false"},
    "restore_curated_answer": {"number": "1"},
    "approve_curated_proposal": {"number": "2"},
    "decline_curated_proposal": {"number": "2"},
    "delete_curated_answer": {},
    "preview_answer": {"answer": "**12 euros** a month."},
    "finish_deletion": {},
    "sum_up_live": {},
    "take_live": {"name": "Ann"},
    "type_live": {},
    "send_picture": {"file": Upload(*PICTURE)},
    "reply_live": {"text": "Hello, how can I help?"},
    "hand_back_live": {},
    "insert_saved_reply": {"saved_reply": "{reply_id}"},
    "draft_reply": {"text": "Good day!"},
    "transfer_live": {"assignee": "editor@example.com"},
    "add_saved_reply": {"title": "Hello", "text": "Hello, I am {{operator}}."},
    "save_saved_reply": {"title": "Hello", "text": "Good day."},
    "delete_saved_reply": {},
    "make_golden": {},
    "choose_notices": {"events": ["conversation.person_asked"]},
    "add_chat_model": {"name": "small", "url": "https://models.example.com/v1", "model": "small-1", "key": "sk-2"},
    "save_chat_model": {"name": "large", "url": "https://models.example.com/v2", "model": "large-2"},
    "test_chat_model": {},
    "delete_chat_model": {},
    "add_notice_channel": {"name": "#support", "url": A_CHANNEL, "events": ["gap.grown"]},
    "set_help_desk": {
        "kind": "zendesk",
        "host": "shop.zendesk.com",
        "account": "ann@example.com",
        "token": "t",
        "events": ["lead.left"],
    },
    "clear_help_desk": {},
    "set_mailbox": {"host": "imap.example.com", "user": "help", "password": "p", "address": "help@example.com"},
    "clear_mailbox": {},
    "set_messenger": {"kind": "slack", "signing": SLACK_SIGNING, "token": SLACK_TOKEN},
    "clear_messenger": {},
    "retry_ticket": {},
    "test_notice_channel": {},
    "delete_notice_channel": {},
    "add_webhook": {"url": "https://hooks.example.com/docent", "events": ["turn.finished"]},
    "retry_dead_letter": {},
    "remove_webhook": {},
    "ask_playground": {"question": "What does it cost?", "page_url": "https://www.example.com/pricing"},
}
# POSTs that answer with a page instead, because what they show must not be sent over a redirect.
SHOWN_AT_ONCE: frozenset[str] = frozenset(
    {
        "add_webhook",
        "answer_gap",
        "decide",
        "ask_playground",
        "lost_answers",
        "draft_reply",
        "insert_saved_reply",
        "issue_token",
        "look_at_agent_file",
        "look_at_site",
        "make_hook",
        "make_user_secret",
        "preview_answer",
        "preview_reading",
        "prove_gap",
        "read_page_file",
        "rehearse_gap",
        "replay_gap",
        "suggest_answer",
        "try_action",
        "switch_on_second_factor",
    }
)
# Those that answer a script without a page.
WITHOUT_A_PAGE: frozenset[str] = frozenset({"type_live"})
# Pages whose path names what only that operation of the API names.
OPERATIONS: Mapping[str, str] = {
    "split_gap": "splitGap",
    "quarantined_page": "getFindings",
    "release_page": "releaseDocument",
    "dismiss_page": "dismissDocument",
    "replace_file": "replaceFile",
    "download_file": "downloadFile",
}


@dataclass
class OpenConsole:
    """`admin`, `editor` and `viewer` are of the house's workspace, `stranger` administers another one."""

    rooms: FurnishedHouse
    admin: ConsoleBrowser
    editor: ConsoleBrowser
    viewer: ConsoleBrowser
    stranger: ConsoleBrowser
    strangers_agent: str

    @property
    def house(self) -> House:
        return self.rooms.house

    def path(self, page: ConsolePage, **other: object) -> str:
        own = self.rooms.own_ids[OPERATIONS[page.name]] if page.name in OPERATIONS else {}
        return page.path.replace(":path", "").format(
            **{**self.rooms.ids, **own, "rest": "nowhere", "number": 2, **other}
        )

    async def visitor_asks_for_a_person(self) -> None:
        """Anew, so that nobody has the chat."""
        for path in ("/person/end", "/person"):
            assert (await self.rooms.visitor.call("POST", path)).status_code == 200

    def form(self, page: ConsolePage) -> dict[str, Value]:
        ids = {**self.rooms.ids, **self.rooms.others}

        def filled(value: Value) -> Value:
            if isinstance(value, list):
                return [each.format(**ids) if each.startswith("{") else each for each in value]
            return value.format(**ids) if isinstance(value, str) and value.startswith("{") else value

        return {name: filled(value) for name, value in FORMS[page.name].items()}


_opened_once: tuple[OpenConsole, Belongings] | None = None


@asynccontextmanager
async def open_console(folder: Path, others: Mapping[Any, object] | None = None) -> AsyncIterator[OpenConsole]:
    """Its operators sign in once in a test process; from then on it is copied. `others` take the place of parts."""
    global _opened_once
    if _opened_once is None:
        with tempfile.TemporaryDirectory() as first:
            async with furnished(Path(first)) as rooms:
                console = await _with_operators(rooms)
            _opened_once = console, Belongings.left_in(Path(first), rooms.house)
    console, belongings = _opened_once
    async with furnished(folder, belongings, others) as rooms:
        yield OpenConsole(
            rooms,
            console.admin.copied_to(rooms.house),
            console.editor.copied_to(rooms.house),
            console.viewer.copied_to(rooms.house),
            console.stranger.copied_to(rooms.house),
            console.strangers_agent,
        )


async def _with_operators(rooms: FurnishedHouse) -> OpenConsole:
    house = rooms.house
    admin, editor, viewer = [await an_operator(house, role) for role in (Role.ADMIN, Role.EDITOR, Role.VIEWER)]
    await house.parts.get(Operators).add(house.stranger, "stranger@example.com", Role.ADMIN, PASSWORD)
    agent = await house.parts.get(Agents).create(house.stranger, AgentConfig(name="Theirs"))
    stranger = ConsoleBrowser(house)
    await stranger.sign_in("stranger@example.com")
    return OpenConsole(rooms, admin, editor, viewer, stranger, str(agent.id))


def every_page() -> list[ConsolePage]:
    """The pages as the product has them, of a house that nobody lives in."""
    return list(pages_of(uninhabited()).values())

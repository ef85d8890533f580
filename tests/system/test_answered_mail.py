"""A worker as it is run: a mail in a mailbox becomes an answer at the mail server, with the shipped models."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

from app.bootstrap.infrastructure import open_stored
from app.mailbox.mailbox import Mailbox, MailboxKeys
from app.mailbox.records import MailboxRecords
from app.main import open_worker
from app.settings import read_settings
from tests.doubles.imap_server import PASSWORD, USER, running_imap_server
from tests.doubles.mail_server import running_mail_server
from tests.system.conftest import learnt_agent

MAIL = f"From: ann@example.com\nTo: {USER}\nSubject: Returns\n\nHow many days do I have to return a lamp?\n"


async def test_a_mail_is_answered(tmp_path: Path) -> None:
    with running_imap_server() as imap, running_mail_server() as smtp:
        settings = read_settings(
            data=tmp_path,
            smtp_url=f"smtp://127.0.0.1:{smtp.port}?tls=off",
            mail_from="docent@lamps.example",
            public_url="https://docent.lamps.example",
            crawl_allow=(("127.0.0.1", imap.port),),
        )
        agent_id = UUID(await learnt_agent(settings))
        box = Mailbox(
            uuid4(),
            agent_id,
            datetime.now(UTC),
            "127.0.0.1",
            USER,
            USER,
            imap.port,
            verified_at=datetime.now(UTC),
            uid_validity=imap.uid_validity,
            last_uid=0,
        )
        async with open_stored(settings) as base:
            await base.record.of_agent(agent_id).write(lambda tx: MailboxRecords(tx).put(box, MailboxKeys(PASSWORD)))
        imap.receive(MAIL)
        async with open_worker(settings), asyncio.timeout(30):
            while not (smtp.mails and imap.flags[1]):  # noqa: ASYNC110 - the worker calls nobody
                await asyncio.sleep(0.05)
    [mail] = smtp.mails
    assert (mail["To"], mail["Subject"], mail["From"]) == ("ann@example.com", "Re: Returns", f"Lamps <{USER}>")
    assert "30 days" in str(mail.get_body(("plain",)))

"""Whether the system of record answers now."""

import structlog

from app.core.errors import DocentError
from app.store.system_of_record import SystemOfRecord
from app.workspaces.records.tokens import TokenRecords

log = structlog.get_logger(__name__)


async def record_answers(record: SystemOfRecord) -> bool:
    try:
        await record.read(lambda tx: TokenRecords(tx).find_token(b""))
    except DocentError as error:
        log.warning("record_away", reason=str(error))
        return False
    return True

"""What an operator chooses among, for publishing, pages and visitors' connections."""

from enum import StrEnum


class PublishGate(StrEnum):
    """What publishing does if the draft would lose golden questions."""

    OFF = "off"  # they are not asked
    WARN = "warn"  # they are named
    REFUSE = "refuse"  # the draft is not published


class OnDisconnect(StrEnum):
    """What happens to an answer that nobody reads any more."""

    FINISH = "finish"  # it is written to its end, and waits for the visitor
    STOP = "stop"  # after a grace period; what was written is kept


class ProofWanted(StrEnum):
    """When a browser must prove work before its questions are accepted."""

    OFF = "off"
    SUSPICIOUS = "suspicious"  # while it or its network sends more than people do
    ALWAYS = "always"


class Quarantine(StrEnum):
    """What happens to pages with findings: nothing is checked, they are listed, or they also wait for an operator."""

    OFF = "off"
    FLAG = "flag"
    HOLD = "hold"


class ContextKind(StrEnum):
    """What precedes a chunk for embedding and keyword indexing."""

    STRUCTURAL = "structural"  # one line: site, page, headings
    MODEL = "model"  # that line, and a sentence or two about the chunk from the chat model

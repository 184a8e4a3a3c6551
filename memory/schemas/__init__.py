"""The JSON shapes of the memory core (API.md), one file a noun."""

from memory.schemas.history import HistoryIn, HistoryList
from memory.schemas.jobs import ImportIn, JobList, JobOut
from memory.schemas.keys import (
    AuditList,
    KeyChangeIn,
    KeyIn,
    KeyList,
    KeyOut,
    NewKeyOut,
    RotateIn,
)
from memory.schemas.memories import (
    BatchIn,
    BatchOut,
    MemoryList,
    MemoryListIn,
    MemoryOut,
    Problem,
    ProfileList,
    SearchIn,
    SearchOut,
    results_out,
)
from memory.schemas.policy import PolicyOut, PreviewIn, PreviewOut, SweptOut
from memory.schemas.recycle_bin import BinList, RestoreIn, RestoreOut
from memory.schemas.review import HeldOut, ReviewList
from memory.schemas.revisions import RevertIn, RevisionList, RevisionListIn
from memory.schemas.tools import ToolAnswerOut, ToolList
from memory.schemas.webhooks import (
    DeliveryList,
    DeliveryOut,
    NewWebhookOut,
    WebhookChangeIn,
    WebhookIn,
    WebhookList,
    WebhookOut,
)

__all__ = [
    "AuditList",
    "BatchIn",
    "BatchOut",
    "BinList",
    "DeliveryList",
    "DeliveryOut",
    "HeldOut",
    "HistoryIn",
    "HistoryList",
    "ImportIn",
    "JobList",
    "JobOut",
    "KeyChangeIn",
    "KeyIn",
    "KeyList",
    "KeyOut",
    "MemoryList",
    "MemoryListIn",
    "MemoryOut",
    "NewKeyOut",
    "NewWebhookOut",
    "PolicyOut",
    "PreviewIn",
    "PreviewOut",
    "Problem",
    "ProfileList",
    "RestoreIn",
    "RestoreOut",
    "RevertIn",
    "ReviewList",
    "RevisionList",
    "RevisionListIn",
    "RotateIn",
    "SearchIn",
    "SearchOut",
    "SweptOut",
    "ToolAnswerOut",
    "ToolList",
    "WebhookChangeIn",
    "WebhookIn",
    "WebhookList",
    "WebhookOut",
    "results_out",
]

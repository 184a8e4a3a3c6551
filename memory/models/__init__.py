"""The tables of the memory core: access, memories and their history."""

from memory.models.access import ApiKey, Membership, Role, Scope, Space, User
from memory.models.audit import AuditAction, AuditEntry
from memory.models.embedders import Embedder, MemoryEmbedding
from memory.models.history import MemoryEvent, MemoryRevision
from memory.models.idempotency import IdempotentWrite
from memory.models.jobs import Job, JobPart, JobState
from memory.models.memories import BinReason, Memory, Status
from memory.models.policies import PolicyVersion
from memory.models.reasons import Reason
from memory.models.relevance import RelevanceMark
from memory.models.review_rules import ReviewRule
from memory.models.saved_queries import SavedQuery
from memory.models.webhooks import DeliveryState, Webhook, WebhookDelivery, WebhookEvent
from memory.models.workers import WorkerHeartbeat

__all__ = [
    "ApiKey",
    "AuditAction",
    "AuditEntry",
    "BinReason",
    "DeliveryState",
    "Embedder",
    "IdempotentWrite",
    "Job",
    "JobPart",
    "JobState",
    "Membership",
    "Memory",
    "MemoryEmbedding",
    "MemoryEvent",
    "MemoryRevision",
    "PolicyVersion",
    "Reason",
    "RelevanceMark",
    "ReviewRule",
    "Role",
    "SavedQuery",
    "Scope",
    "Space",
    "Status",
    "User",
    "Webhook",
    "WebhookDelivery",
    "WebhookEvent",
    "WorkerHeartbeat",
]

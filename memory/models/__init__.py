"""The tables of the memory core: memories and their history."""

from memory.models.choices import BinReason, Status
from memory.models.consolidation import ConsolidationProposal, ProposalKind, ProposalState
from memory.models.embedders import FurtherEmbedding, MemoryEmbedding
from memory.models.history import MemoryEvent, MemoryRevision
from memory.models.idempotency import IdempotentWrite
from memory.models.jobs import Job, JobPart, JobState
from memory.models.memories import Memory
from memory.models.model_connections import ANSWERING, ModelChoice, ModelConnection, Purpose
from memory.models.policies import PolicyVersion
from memory.models.reasons import Reason
from memory.models.relevance import RelevanceMark
from memory.models.saved_queries import SavedQuery
from memory.models.usage import ModelUsage, UsagePurpose
from memory.models.webhooks import DeliveryState, Webhook, WebhookDelivery
from memory.models.workers import WorkerHeartbeat

__all__ = [
    "ANSWERING",
    "BinReason",
    "ConsolidationProposal",
    "DeliveryState",
    "FurtherEmbedding",
    "IdempotentWrite",
    "Job",
    "JobPart",
    "JobState",
    "Memory",
    "MemoryEmbedding",
    "MemoryEvent",
    "MemoryRevision",
    "ModelChoice",
    "ModelConnection",
    "ModelUsage",
    "PolicyVersion",
    "ProposalKind",
    "ProposalState",
    "Purpose",
    "Reason",
    "RelevanceMark",
    "SavedQuery",
    "Status",
    "UsagePurpose",
    "Webhook",
    "WebhookDelivery",
    "WorkerHeartbeat",
]

"""The tables of the memory core: access, memories and their history."""

from accounts.models.access import (ApiKey, Membership, Role, Scope, Space, User)
from accounts.models.audit import (AuditAction, AuditEntry, InstallationAuditEntry)
from memory.models.choices import (BinReason, Status)
from memory.models.consolidation import (ConsolidationProposal, ProposalKind, ProposalState)
from accounts.models import Embedder
from memory.models.embedders import (FurtherEmbedding, MemoryEmbedding)
from accounts.models.folding import Folded as Folded
from memory.models.history import (MemoryEvent, MemoryRevision)
from memory.models.idempotency import IdempotentWrite
from accounts.models.installation import InstallationKey
from accounts.models.invitations import Invitation
from memory.models.jobs import (Job, JobPart, JobState)
from accounts.models.limits import LimitCount
from memory.models.memories import Memory
from memory.models.model_connections import (ANSWERING, ModelChoice, ModelConnection, Purpose)
from memory.models.policies import PolicyVersion
from memory.models.reasons import Reason
from memory.models.relevance import RelevanceMark
from memory.models.review_rules import ReviewRule
from memory.models.saved_queries import SavedQuery
from memory.models.usage import (ModelUsage, UsagePurpose)
from memory.models.webhooks import (DeliveryState, Webhook, WebhookDelivery, WebhookEvent)
from memory.models.workers import WorkerHeartbeat

__all__ = [
    "ANSWERING",
    "ApiKey",
    "AuditAction",
    "AuditEntry",
    "BinReason",
    "ConsolidationProposal",
    "DeliveryState",
    "Embedder",
    "FurtherEmbedding",
    "IdempotentWrite",
    "InstallationAuditEntry",
    "InstallationKey",
    "Invitation",
    "Job",
    "JobPart",
    "JobState",
    "LimitCount",
    "Membership",
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
    "ReviewRule",
    "Role",
    "SavedQuery",
    "Scope",
    "Space",
    "Status",
    "UsagePurpose",
    "User",
    "Webhook",
    "WebhookDelivery",
    "WebhookEvent",
    "WorkerHeartbeat",
]

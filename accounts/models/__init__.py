"""The tables of accounts: users, spaces, who may use them, and what happened to both."""

from accounts.models.access import ApiKey, Membership, Role, Scope, Space, User
from accounts.models.audit import AuditAction, AuditEntry, InstallationAuditEntry
from accounts.models.embedders import Embedder
from accounts.models.folding import Folded as Folded
from accounts.models.installation import InstallationKey
from accounts.models.invitations import Invitation
from accounts.models.limits import LimitCount
from accounts.models.webhook_events import WebhookEvent

__all__ = [
    "ApiKey",
    "AuditAction",
    "AuditEntry",
    "Embedder",
    "InstallationAuditEntry",
    "InstallationKey",
    "Invitation",
    "LimitCount",
    "Membership",
    "Role",
    "Scope",
    "Space",
    "User",
    "WebhookEvent",
]

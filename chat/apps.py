"""The chat as a Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ChatConfig(AppConfig):
    """The chat app: registers its export sections, erasure and redaction."""

    name = "chat"
    verbose_name = _("Chat")

    def ready(self) -> None:
        from chat import erasure  # importable only once models are loaded
        from chat.conversations.redaction import redact_sources
        from chat.transfer import SECTIONS
        from memory.retention.erasure import register as register_erasure
        from memory.retention.erasure import register_redaction
        from memory.transfer.sections import contribute

        contribute(*SECTIONS)
        register_erasure(erasure.erase)
        register_redaction(redact_sources)

"""The chat as a Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ChatConfig(AppConfig):
    """The chat app: registers its export sections."""

    name = "chat"
    verbose_name = _("Chat")

    def ready(self) -> None:
        from chat.transfer import SECTIONS  # importable only once models are loaded
        from memory.transfer.sections import contribute

        contribute(*SECTIONS)

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ChatConfig(AppConfig):
    """The chat app: registers its export sections."""

    name = "chat"
    verbose_name = _("Chat")

    def ready(self) -> None:
        from chat.transfer import SECTIONS  # its models are there only now
        from memory.transfer.sections import contribute

        contribute(*SECTIONS)

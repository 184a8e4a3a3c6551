"""`manage.py reseal_keys`: encrypt the stored keys and secrets with the current SECRET_KEY."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from accounts.sign_in import factors
from memory.model_connections.services import reseal_keys
from memory.webhooks.services import reseal_secrets


class Command(BaseCommand):
    """Seal all stored keys and secrets again after SECRET_KEY has changed."""

    help = (
        "Encrypt the keys of model connections and the secrets of webhooks and second factors "
        "with SECRET_KEY again. Put the previous key into SECRET_KEY_FALLBACKS first."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        keys, lost_keys = reseal_keys()
        secrets, lost_secrets = reseal_secrets()
        sealed_factors, lost_factors = factors.reseal()
        said = _(
            "Encrypted with SECRET_KEY: %(keys)d keys, %(secrets)d webhook secrets, "
            "%(factors)d second factors"
        )
        self.stdout.write(said % {"keys": keys, "secrets": secrets, "factors": sealed_factors})
        faults = (
            (
                _("These keys cannot be read. Enter them again in Settings → Models: %(names)s"),
                lost_keys,
            ),
            (
                _("The secrets of these webhooks cannot be read. Rotate them: %(names)s"),
                lost_secrets,
            ),
            (
                _(
                    "The second factors of these users cannot be read. Run "
                    "reset_second_factor for them: %(names)s"
                ),
                lost_factors,
            ),
        )
        found = [text % {"names": ", ".join(names)} for text, names in faults if names]
        if found:
            raise CommandError("\n".join(found))

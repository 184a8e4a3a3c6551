"""The accounts as a Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """The app of users, spaces and everything that decides who may do what."""

    name = "accounts"
    verbose_name = _("Accounts")

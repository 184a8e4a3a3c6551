"""The admin of the memory core: for moderators across spaces, and for operators of Ebb.

The admin does not write to tables directly. Changes to memories go through the services, which
record them in the history with the user's name. Everything else is read-only.
"""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin

from memory.admin import memories, people, records
from memory.admin.base import BY_SPACE, ReadOnlyAdmin, actor_of, one_by_one

__all__ = ["BY_SPACE", "ReadOnlyAdmin", "actor_of", "memories", "one_by_one", "people", "records"]

# django-allauth shows secrets and keys of sessions there.
admin.site.unregister(
    (EmailAddress, Authenticator, SocialAccount, SocialApp, SocialToken, UserSession)
)

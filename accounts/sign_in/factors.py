"""Second factors, for people who run Ebb: turn one off, and seal all with a new SECRET_KEY."""

from allauth.mfa.models import Authenticator
from django.db import transaction

from accounts.models import AuditAction, User
from accounts.sign_in.audit import note_factor
from foundation.actors import SYSTEM
from foundation.sealing import Unreadable, seal, unseal


@transaction.atomic
def turn_off(*, user: User) -> bool:
    """Turn the user's second factor off. Return whether it was on."""
    deleted, _ = Authenticator.objects.filter(user=user).delete()
    if deleted:
        note_factor(AuditAction.FACTOR_OFF, user, actor=SYSTEM)
    return bool(deleted)


@transaction.atomic
def reseal() -> tuple[int, list[str]]:
    """Seal all secrets with the current SECRET_KEY. Return the number of secrets sealed, and the
    names of users whose secret cannot be read."""
    unreadable: set[str] = set()
    sealed = 0
    for factor in Authenticator.objects.select_related("user").select_for_update(of=["self"]):
        try:
            for name in {"secret", "seed"} & factor.data.keys():
                factor.data[name] = seal(unseal(factor.data[name]))
        except Unreadable:
            unreadable.add(factor.user.get_username())
            continue
        factor.save(update_fields=["data"])
        sealed += 1
    return sealed, sorted(unreadable)

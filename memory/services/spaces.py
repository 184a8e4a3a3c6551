"""Spaces, their members and their rules."""

from django.db import transaction

from memory.actors import Actor
from memory.models import Embedder, Membership, PolicyVersion, Role, Space, User
from memory.policy import PolicyDocument


@transaction.atomic
def create_space(
    *, slug: str, name: str, embedder: Embedder, actor: Actor, owner: User | None = None
) -> Space:
    """A new space with the default policy as its version 1."""
    space = Space.objects.create(slug=slug, name=name, embedder=embedder)
    PolicyVersion.objects.create(
        space=space,
        version=1,
        document=PolicyDocument().model_dump(mode="json"),
        actor_type=actor.type,
        actor_name=actor.name,
    )
    if owner is not None:
        add_member(space=space, user=owner, role=Role.OWNER)
    return space


def add_member(*, space: Space, user: User, role: Role) -> Membership:
    """Gives a user this role in the space, whether or not they had another before."""
    membership, _ = Membership.objects.update_or_create(
        space=space, user=user, defaults={"role": role}
    )
    return membership

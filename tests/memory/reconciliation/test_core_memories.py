"""Core memories (P = 1), and importance that agrees with its facets, by every way to change it."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Space, User
from memory.drafts import Facets, MemoryChange
from memory.formulas.importance import reinforced
from memory.models import Memory, MemoryEvent, MemoryRevision
from memory.models.policies import current_policy
from memory.retention.extend import extend_memory
from memory.retention.recycle_bin import delete_memory, restore_memory
from memory.review.services import approve_memory, reopen_memories
from memory.store.importance_parts import importance_parts
from memory.store.revisions import revert_memory
from memory.store.services import revise_memory
from memory.store.uses import mark_used
from tests.conftest import ApiClient, MakeKey
from tests.memory.tools.tool_calls import call
from tests.memory.writing import ALICE, NOW, actions, hold, learn, remember, set_policy, stored

pytestmark = pytest.mark.django_db

MEAT = "I eat meat every day"
NO_MEAT = "I no longer eat meat"
TRAIT = Facets(P=1.0, J=0.5)
PLAN = Facets(P=0.5, J=0.6, I=0.6, valence=0.3, intensity=0.5)


def everything(space: Space) -> list[Any]:
    return [
        list(model.objects.filter(space=space).order_by("pk").values())
        for model in (Memory, MemoryEvent, MemoryRevision)
    ]


# --- P = 1 ----------------------------------------------------------------------------------


def test_restating_a_core_memory_changes_nothing(space: Space) -> None:
    """Seed 003, 1.5: P=1 的维护与冲突：不走自动合并规则. It was reinforced from .70 to .73."""
    core = remember(space, "I hate coriander", memory_type="preference", facets=TRAIT)
    assert (core.core, core.importance) == (True, 0.7)
    before = everything(space)
    for content in ("I hate coriander", "Please remember that I hate coriander!"):
        assert learn(space, content, memory_type="preference").pk == core.pk
    assert everything(space) == before


def test_a_tool_says_that_a_core_memory_is_known(space: Space) -> None:
    remember(space, "I hate coriander", memory_type="preference", facets=TRAIT)
    before = everything(space)
    assert call(space, "remember", content="I hate coriander").text.startswith("Already known: ")
    assert everything(space) == before


def test_approved_restatement_leaves_a_core_memory_as_it_is(space: Space) -> None:
    core = remember(space, "I hate coriander", memory_type="preference", facets=TRAIT)
    held = hold(space, "I hate coriander!", memory_type="preference")
    approved = approve_memory(space=space, memory_id=held.pk, actor=ALICE, now=NOW)
    assert approved.pk == core.pk
    assert stored(core).importance == core.importance
    assert stored(held).status == "binned"


def test_core_memory_in_conflict_is_patched_and_judged_anew(space: Space) -> None:
    """Seed 003, 1.5: 括号补丁 … 并在改写后重算 infoImportance（timeCoef 强制 1）."""
    core = remember(space, MEAT, memory_type="preference", facets=Facets(P=1.0, J=1.0, I=1.0))
    patched = learn(space, NO_MEAT, memory_type="preference", importance=0.99)
    assert (patched.pk, patched.content) == (core.pk, f"{MEAT} [{NOW:%Y-%m-%d}: {NO_MEAT}]")
    assert patched.core
    assert patched.facets is not None
    assert patched.facets != core.facets
    assert patched.facets["P"] == 1.0
    assert patched.importance == Facets(**patched.facets).importance
    assert patched.importance not in {core.importance, 0.99}
    decay = current_policy(space).document.decay
    later = Memory.objects.in_space(space).with_importance_now(
        decay=decay, now=NOW + timedelta(days=365)
    )
    assert vars(later.get(pk=core.pk))["time_coef"] == 1.0


def test_patch_takes_the_facets_that_came_with_the_statement(space: Space) -> None:
    """Seed 003, 2.1: 以用户最新为准. P stays 1: the memory is still core."""
    core = remember(space, MEAT, memory_type="preference", facets=TRAIT)
    newest = Facets(P=0.5, J=0.4, I=0.2, valence=-0.5, intensity=0.8)
    patched = learn(space, NO_MEAT, memory_type="preference", facets=newest)
    assert patched.pk == core.pk
    assert patched.facets == newest.model_copy(update={"P": 1.0}).stored()
    assert patched.importance == pytest.approx(0.6 + 0.2 * 0.4 + 0.15 * 0.8 + 0.05 * 0.2)


def test_patch_without_facets_keeps_the_greater_importance(space: Space) -> None:
    pinned = remember(space, MEAT, memory_type="preference", importance=0.6, pinned=True)
    patched = learn(space, NO_MEAT, memory_type="preference", importance=0.8)
    assert (patched.pk, patched.importance, patched.facets) == (pinned.pk, 0.8, None)


# --- Base and facets agree ------------------------------------------------------------------


def parts(memory: Memory) -> tuple[float, float, float | None, bool]:
    found = importance_parts(stored(memory))
    return found.base, found.reinforcement, found.from_facets, found.set_by_hand


def test_importance_is_what_the_facets_give(space: Space) -> None:
    """Seed 003, 3: clamp(0.60*P + 0.20*J + 0.15*E + 0.05*I, 0, 1)."""
    plan = remember(space, "I train for a marathon", memory_type="goal", facets=PLAN)
    assert parts(plan) == (0.4875, 0.0, 0.4875, False)


def test_reinforcement_is_shown_as_a_part(space: Space, key: MakeKey) -> None:
    plan = remember(space, "I train for a marathon", memory_type="goal", facets=PLAN)
    learn(space, "I train for a marathon", memory_type="goal", importance=0.3)
    learn(space, "I train for a marathon", memory_type="goal", importance=0.3)
    raised = reinforced(reinforced(0.4875, 0.3), 0.3)
    shown = ApiClient(key()).get(f"memories/{plan.pk}").json()
    assert shown["importance"] == raised
    assert shown["importance_parts"] == {
        "base": 0.4875, "reinforcement": raised - 0.4875, "from_facets": 0.4875,
        "set_by_hand": False,
    }  # fmt: skip


def test_undone_approval_restores_the_parts(space: Space) -> None:
    plan = remember(space, "I train for a marathon", memory_type="goal", facets=PLAN)
    learn(space, "I train for a marathon", memory_type="goal", importance=0.3)
    before = parts(plan)
    held = hold(space, "I train for a marathon!", memory_type="goal")
    approve_memory(space=space, memory_id=held.pk, actor=ALICE, now=NOW)
    assert parts(plan)[1] > before[1] > 0
    reopen_memories(space=space, memory_ids=[held.pk], actor=ALICE, now=NOW)
    assert parts(plan) == before


def patch_by_api(space: Space, plan: Memory, alice: User, secret: str) -> None:
    answer = ApiClient(secret).patch(f"memories/{plan.pk}", {"importance": 0.9})
    assert answer.json()["importance_parts"]["set_by_hand"]


def edit_on_the_page(space: Space, plan: Memory, alice: User, secret: str) -> None:
    client = Client()
    client.force_login(alice)
    client.post(
        reverse("memory_edit", args=[space.slug, plan.pk]),
        {"content": plan.content, "memory_type": plan.memory_type, "importance": "0.9"},
    )
    page = client.get(reverse("memory", args=[space.slug, plan.pk])).content.decode()
    assert "Set by hand; the facets give 0.49." in page


def change_in_the_admin(space: Space, plan: Memory, alice: User, secret: str) -> None:
    alice.is_staff = True
    alice.save()
    alice.user_permissions.set(Permission.objects.filter(content_type__app_label="memory"))
    client = Client()
    client.force_login(alice)
    answer = client.post(
        reverse("admin:memory_memory_change", args=[plan.pk]),
        {
            "content": plan.content, "memory_type": plan.memory_type, "importance": "0.9",
            "tags": "", "_save": "Save",
        },
    )  # fmt: skip
    assert answer.status_code == 302


@pytest.mark.parametrize("change", [patch_by_api, edit_on_the_page, change_in_the_admin])
def test_importance_set_by_hand_is_marked(
    change: Any, space: Space, alice: User, key: MakeKey
) -> None:
    """Seed 003, 5: the base is what the facets give, unless a person says otherwise."""
    plan = remember(space, "I train for a marathon", memory_type="goal", facets=PLAN)
    change(space, plan, alice, key())
    assert parts(plan) == (0.9, 0.0, 0.4875, True)
    assert stored(plan).facets == plan.facets


def test_new_facets_end_the_setting_by_hand(space: Space, key: MakeKey) -> None:
    plan = remember(space, "I train", memory_type="goal", facets=PLAN, importance=0.9)
    assert parts(plan) == (0.9, 0.0, 0.4875, True)
    answer = ApiClient(key()).patch(f"memories/{plan.pk}", {"facets": PLAN.model_dump()})
    assert answer.json()["importance_parts"]["set_by_hand"] is False
    assert parts(plan) == (0.4875, 0.0, 0.4875, False)


def test_reverting_restores_the_parts(space: Space) -> None:
    plan = remember(space, "I train for a marathon", memory_type="goal", facets=PLAN)
    learn(space, "I train for a marathon", memory_type="goal", importance=0.3)
    before = parts(plan)
    assert before[1] > 0
    learned, lower = stored(plan), MemoryChange(importance=0.2)
    revise_memory(space=space, memory_id=plan.pk, change=lower, actor=ALICE, now=NOW)
    assert parts(plan) == (0.2, 0.0, 0.4875, True)
    revert_memory(space=space, memory_id=plan.pk, revision=learned.revision, actor=ALICE, now=NOW)
    assert parts(plan) == before


# --- Tiers by P -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facets", "days"),
    [
        (Facets(P=1.0), None),
        (PLAN, 30),  # importance .4875: 7 days by importance
        (Facets(P=0.1, J=1.0, I=1.0, valence=-1.0, intensity=1.0), 3),  # importance .46
        (None, 7),
    ],
)
def test_lifetime_follows_persistence(
    space: Space, facets: Facets | None, days: int | None
) -> None:
    """Seed 003, 2.1: P = 1.0 长期, 0.5 长期计划, 0.1 很短期的生活流水."""
    memory = remember(space, "So it is", facets=facets, importance=None if facets else 0.4)
    assert memory.expires_at == (None if days is None else NOW + timedelta(days=days))


def test_policy_may_go_by_importance_instead(space: Space) -> None:
    set_policy(space, ttl={"by_persistence": False})
    assert remember(space, "I train", facets=PLAN).expires_at == NOW + timedelta(days=7)


def test_every_renewal_goes_by_p(space: Space) -> None:
    """A use and an extension write what P gives, though .9 was set by hand."""
    memory = remember(space, "I train", facets=PLAN, importance=0.9)
    assert memory.expires_at == NOW + timedelta(days=30)
    later = NOW + timedelta(days=5)
    ids = [memory.pk]
    mark_used(space=space, memory_ids=ids, supporting=ids, actor=ALICE, now=later, reason="")
    assert stored(memory).expires_at == later + timedelta(days=30)
    later += timedelta(days=5)
    extend_memory(space=space, memory_id=memory.pk, actor=ALICE, now=later)
    assert stored(memory).expires_at == later + timedelta(days=30)
    delete_memory(space=space, memory_id=memory.pk, actor=ALICE, now=later)
    later += timedelta(days=5)
    restore_memory(space=space, memory_id=memory.pk, actor=ALICE, now=later)
    assert stored(memory).expires_at == later + timedelta(days=30)


@pytest.mark.parametrize("switch", [False, True])
def test_switch_is_previewed_and_recalculates(space: Space, switch: bool, key: MakeKey) -> None:
    """The preview says what the change and a sweep do: a plan of .4875 stays 30 days by P."""
    set_policy(space, ttl={"by_persistence": not switch})
    now = timezone.now()
    plan = remember(space, "I train", now=now, facets=PLAN)
    changes = {"ttl": {"by_persistence": switch}}
    asked = {"changes": changes, "as_of": (now + timedelta(days=10)).isoformat()}
    client = ApiClient(key())
    would = client.post("policy/preview", asked).json()["counts"]
    assert would["would_expire"] == (0 if switch else 1)
    assert client.patch("policy", changes).status_code == 200
    days = 30 if switch else 7
    assert stored(plan).expires_at == plan.clock_started_at + timedelta(days=days)


def test_plans_are_not_kept_forever_by_their_p(space: Space, key: MakeKey) -> None:
    answer = ApiClient(key()).patch("policy", {"ttl": {"permanent_persistence": 0.2}})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "ttl.permanent_persistence"


def test_history_of_a_core_memory_is_short(space: Space) -> None:
    core = remember(space, "I hate coriander", memory_type="preference", facets=TRAIT)
    learn(space, "I hate coriander", memory_type="preference")
    assert actions(core) == ["created"]

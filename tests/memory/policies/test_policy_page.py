"""The page of the rules: words beside numbers, what they would do, versions, the way back."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Space, User
from memory.models import Memory, PolicyVersion
from memory.models.policies import current_policy
from memory.policies.form import RULES, asked, changes, texts_of
from memory.policies.labels import GROUPS, LABELS
from memory.policies.presets import PRESETS, Preset
from memory.policies.preview import preview_policy
from memory.policies.services import change_policy
from memory.policy import PolicyDocument, changed
from tests.conftest import Answer
from tests.memory.sweeping import DAY, insert
from tests.memory.writing import ALICE, NOW, remember, set_policy
from tests.pages import login


@pytest.fixture
def page(alice: User) -> Client:
    return login(alice)


def form(space: Space, **changed: Any) -> dict[str, Any]:
    """The form as a browser sends it, with fields changed; None is a switch turned off."""
    policy = current_policy(space)
    sent = {"version": str(policy.version), **texts_of(policy.document)} | changed
    return {name: value for name, value in sent.items() if value not in (None, "")}


def post(client: Client, name: str, space: Space, sent: object = None, *args: int) -> Answer:
    return client.post(reverse(name, args=[space.slug, *args]), sent or {})


def body(answer: Answer) -> str:
    return " ".join(answer.content.decode().split())


def test_every_rule_has_its_words_and_every_word_its_rule() -> None:
    assert list(LABELS) == list(RULES)
    assert {rule.group for rule in RULES.values()} == set(GROUPS)


def test_the_form_says_what_the_document_says() -> None:
    document = PolicyDocument.model_validate(
        {
            "ttl": {"low_days": 2.5, "renew_on_use": False},
            "decay": {"scale_days": 1e-6},
            "capacity": 12345,
        }
    )
    sent = {path: text for path, text in texts_of(document).items() if text}

    assert (sent["decay.scale_days"], sent["ttl.medium_days"]) == ("0.000001", "30")
    assert PolicyDocument.model_validate(asked(sent)) == document


def test_page_shows_each_number_with_its_words_in_few_queries(page: Client, space: Space) -> None:
    change_policy(space=space, changes={"capacity": 700}, actor=ALICE, now=NOW)

    with CaptureQueriesContext(
        connection,
    ) as queries:
        shown = body(page.get(reverse("policy", args=[space.slug])))

    assert len(queries) <= 12
    assert 'name="capacity" value="700"' in shown
    assert "When exceeded, the least important memories are removed." in shown
    assert "<del>800 memories</del> → <ins>700 memories</ins>" in shown
    assert "version 2" in shown


def test_lifetimes_say_what_is_not_saved_at_all(page: Client, space: Space) -> None:
    """Seed 001, "IMPORTANCE SCORING GUIDELINES": "0.0-0.2: Minimal"."""
    set_policy(space, assessment={"store_above": 0.25})
    shown = " ".join(page.get(reverse("policy", args=[space.slug])).content.decode().split())
    assert 'href="#rule-assessment-store_above">minimum importance to save</a> (0.25)' in shown


def test_saving_makes_a_version_and_says_what_changed(page: Client, space: Space) -> None:
    changes = {"capacity": "500", "ttl.low_days": "2.5", "ttl.very_low_days": "1"}
    sent = form(space, **changes, **{"ttl.renew_on_use": None})

    answer = page.post(reverse("policy_save", args=[space.slug]), sent, follow=True)

    policy = current_policy(space)
    assert (policy.version, policy.document.capacity) == (2, 500)
    assert (policy.document.ttl.low_days, policy.document.ttl.renew_on_use) == (2.5, False)
    assert PolicyVersion.objects.get(version=2).actor_name == "alice"
    assert (
        "Saved as version 2. Capacity 800 memories → 500 memories;"
        " Lifetimes: Low-importance lifetime 7 days → 2.5 days;"
        " Lifetimes: Very-low-importance lifetime 3 days → 1 day;"
        " Lifetimes: Restart lifetime on use on → off."
    ) in body(answer)


def test_a_form_that_changes_nothing_makes_no_version(page: Client, space: Space) -> None:
    answer = page.post(reverse("policy_save", args=[space.slug]), form(space), follow=True)

    assert current_policy(space).version == 1
    assert "No changes to save." in body(answer)


@pytest.mark.parametrize(
    ("path", "text", "sentence"),
    [
        ("capacity", "many", "Enter a whole number from 1 to 100,000,000."),
        ("capacity", "1.5", "Enter a whole number from 1 to 100,000,000."),
        ("ttl.low_days", "nan", "Enter a number from 0 to 36,500."),
        ("bin_days", "", "Enter a number from 0 to 36,500."),
        ("decay.scale_days", "0", "Enter a number from 0.000001 to 36,500."),
        ("language", "English", "Choose one of the options."),
        ("recall.form", "verse", "Choose one of the options."),
        ("recall.profile", "best", "Choose one of the listed profiles."),
        ("ttl.low_threshold", "0.9", "Thresholds must decrease"),
    ],
)
def test_what_is_wrong_gets_its_sentence_and_saves_nothing(
    page: Client, space: Space, path: str, text: str, sentence: str
) -> None:
    sent = form(space, capacity="500") | {path: text}

    refused, previewed = (
        post(page, "policy_save", space, sent),
        post(page, "policy_preview", space, sent),
    )

    assert refused.status_code == 422
    for answer in (refused, previewed):
        assert f">{sentence}" in body(answer)
    assert current_policy(space).version == 1
    if path not in {"capacity", "language", "recall.form", "recall.profile"}:
        assert f'name="{path}" value="{text}"' in body(refused)
        assert 'name="capacity" value="500"' in body(refused)  # what else was entered stands


def test_who_was_overtaken_is_told_and_may_save_again(page: Client, space: Space) -> None:
    sent = form(space, capacity="500")
    change_policy(space=space, changes={"bin_days": 9}, actor=ALICE, now=NOW)

    answer = post(page, "policy_save", space, sent)

    assert (answer.status_code, current_policy(space).document.capacity) == (409, 800)
    assert "Someone else saved version 2 while you were editing." in body(answer)
    assert 'name="capacity" value="500"' in body(answer)
    assert 'name="version" value="2"' in body(answer)


def test_preview_tells_what_would_go_and_changes_nothing(page: Client, space: Space) -> None:
    for number in range(9):
        insert(space, number, importance=0.75 + number / 100)
    changes = {"capacity": 2, "grace_hours": 0}

    answer = post(page, "policy_preview", space, form(space, capacity="2", grace_hours="0"))

    told = preview_policy(space=space, changes=changes, queries=[], now=NOW)
    assert told.counts == {"would_expire": 0, "would_evict": 7, "would_stay": 2}
    assert "<dt>over capacity</dt><dd>7</dd>" in body(answer)
    assert "<dt>kept</dt><dd>2</dd>" in body(answer)
    assert "2 settings changed" in body(answer)
    for memory in told.would_evict[:4]:
        assert memory.content in body(answer)
    assert "first 4 of 7" in body(answer)
    assert current_policy(space).version == 1
    assert Memory.objects.in_space(space).live().count() == 9


def test_preview_ranks_questions_and_the_page_keeps_them(page: Client, space: Space) -> None:
    remember(space, "User likes pizza", importance=0.8, created_at=NOW - DAY)
    remember(space, "User plays the <b>cello</b>", importance=0.9)
    sent = form(space, **{"recall.profile": "date", "recall.limit": "1"})

    answer = post(
        page, "policy_preview", space, sent | {"query": ["what about pizza?", "", "x" * 900]}
    )

    assert "what about pizza?" in body(answer)
    assert "&lt;b&gt;cello" in body(answer)
    assert "was #1, no longer found" in body(answer)
    shown = body(page.get(reverse("policy", args=[space.slug])))
    assert 'name="query" value="what about pizza?"' in shown
    assert f'value="{"x" * 500}"' in shown


def test_an_earlier_version_holds_again_as_a_new_one(page: Client, space: Space) -> None:
    change_policy(space=space, changes={"capacity": 5}, actor=ALICE, now=NOW)

    post(page, "policy_revert", space, None, 1)

    assert current_policy(space).version == 3
    assert current_policy(space).document == PolicyDocument()
    assert post(page, "policy_revert", space, None, 9).status_code == 404


def test_old_versions_are_shown_in_parts(page: Client, space: Space) -> None:
    for capacity in range(100, 125):
        change_policy(space=space, changes={"capacity": capacity}, actor=ALICE, now=NOW)
    address = reverse("policy", args=[space.slug])

    first = body(page.get(address))
    rest = body(page.get(address, {"before": "7"}, headers={"HX-Request": "true"}))

    assert first.count('class="version"') == 20
    assert "before=7" in first
    assert rest.count('class="version"') == 6
    assert "before=" not in rest


def test_who_may_only_look_sees_the_rules_and_no_form(
    client: Client, space: Space, bob: User
) -> None:
    client.force_login(bob)

    shown = body(client.get(reverse("policy", args=[space.slug])))

    assert "800 memories" in shown
    assert 'name="capacity"' not in shown
    assert post(client, "policy_save", space, form(space, capacity="1")).status_code == 403
    assert post(client, "policy_revert", space, None, 1).status_code == 403
    previewed = body(post(client, "policy_preview", space, form(space, capacity="1")))
    assert "This is the policy in effect." in previewed
    assert current_policy(space).version == 1


def test_stranger_finds_nothing(client: Client, space: Space, charlie: User) -> None:
    client.force_login(charlie)

    assert client.get(reverse("policy", args=[space.slug])).status_code == 404
    for name, arguments in [("policy_preview", ()), ("policy_save", ()), ("policy_revert", (1,))]:
        assert post(client, name, space, None, *arguments).status_code == 404


def test_a_preset_fills_the_form_and_saves_nothing(page: Client, space: Space) -> None:
    shown = body(page.get(reverse("policy", args=[space.slug]), {"preset": "more"}))

    assert 'name="capacity" value="2000"' in shown
    assert "“Remember more” is filled in below and not saved." in shown
    assert current_policy(space).version == 1


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_each_preset_is_a_valid_policy(preset: Preset) -> None:
    document = changed(PolicyDocument(), preset.changes)

    assert changes(PolicyDocument(), document)


def test_a_preset_that_does_not_exist_changes_nothing(page: Client, space: Space) -> None:
    shown = body(page.get(reverse("policy", args=[space.slug]), {"preset": "none"}))

    assert 'name="capacity" value="800"' in shown
    assert "is filled in below" not in shown


def test_any_two_versions_are_compared(page: Client, space: Space) -> None:
    for capacity in (500, 600, 800):
        change_policy(space=space, changes={"capacity": capacity}, actor=ALICE, now=NOW)

    def compared(first: str, second: str) -> str:
        asked = {"first": first, "second": second}
        return body(page.get(reverse("policy_compare", args=[space.slug]), asked))

    assert "<del>500 memories</del> → <ins>800 memories</ins>" in compared("2", "4")
    assert "<del>800 memories</del> → <ins>500 memories</ins>" in compared("4", "2")
    assert "Versions 1 and 4 are the same." in compared("1", "4")
    for first in ("0", "9", "x", ""):
        assert "Choose versions from 1 to 4." in compared(first, "2")


def test_an_error_is_linked_to_its_field(page: Client, space: Space) -> None:
    answer = body(post(page, "policy_save", space, form(space, capacity="many")))

    assert '<a href="#rule-capacity">Capacity</a>' in answer
    field = answer.split('id="rule-capacity"')[1].split(">")[0]
    assert 'aria-invalid="true"' in field


def test_a_language_without_a_name_is_kept(page: Client, space: Space) -> None:
    set_policy(space, language="pl")

    shown = body(page.get(reverse("policy", args=[space.slug])))

    assert "<option selected>pl</option>" in shown

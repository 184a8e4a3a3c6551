"""A user is erased with everything that came from them, and a receipt says what that was."""

from django.utils import timezone

from accounts.models import AuditEntry, Space
from memory.models import Job, Memory
from memory.tasks import work
from tests.conftest import ApiClient, MakeKey
from tests.memory.users_of_a_space import WORD, alice_said, tables_with
from tests.memory.writing import remember


def test_nothing_of_a_users_words_remains(space: Space, other_space: Space, key: MakeKey) -> None:
    alice_said(space)
    remember(space, "User likes tea", user_id="bob")
    elsewhere = remember(other_space, "User likes tea", user_id="alice")
    client = ApiClient(key())
    assert len(tables_with(WORD, space)) >= 7

    started = client.delete("users/alice")
    work(space.pk, str(started.json()["id"]))

    assert started.status_code == 202
    job = client.get(f"jobs/{started.json()['id']}").json()
    assert job["status"] == "done"
    receipt = job["result"]
    assert receipt.pop("erased_at") <= timezone.now().isoformat()
    assert receipt == {
        "user_id": "alice",
        "memories": 3,
        "revisions": 1,
        "history": 6,
        "conversations": 1,
        "messages": 2,
        "assessments": 1,
        "lessons": 0,
        "relevance_marks": 0,
        "webhook_deliveries": 3,
        "consolidation_proposals": 0,
    }
    assert tables_with(WORD, space) == set()
    left = set(Memory.objects.values_list("content", "user_id"))
    assert left == {
        ("User likes pasta", None),
        ("User likes tea", "bob"),
        (elsewhere.content, "alice"),
    }
    assert AuditEntry.objects.filter(action="user.erased", subject="alice").count() == 1


def test_a_user_of_nothing_cannot_be_erased(space: Space, key: MakeKey) -> None:
    remember(space, "User likes pasta")

    answer = ApiClient(key()).delete("users/alice")

    assert (answer.status_code, Job.objects.count()) == (404, 0)
    assert ApiClient(key()).delete("users/a%00b").status_code == 422


def test_only_an_administrator_lists_and_erases_users(space: Space, key: MakeKey) -> None:
    client = ApiClient(key(scopes=["read", "write"]))

    assert client.get("users").status_code == 403
    assert client.delete("users/alice").status_code == 403


def test_a_reader_does_not_learn_who_was_erased(space: Space, key: MakeKey) -> None:
    remember(space, "User likes pizza", user_id="alice")
    job = ApiClient(key()).delete("users/alice").json()["id"]
    for scopes, seen in ((["read", "write"], False), (["read", "admin"], True)):
        client = ApiClient(key(scopes=scopes))
        assert client.get(f"jobs/{job}").status_code == (200 if seen else 404)
        assert len(client.get("jobs").json()["items"]) == seen


def test_the_list_of_users_counts_what_is_theirs(space: Space, key: MakeKey) -> None:
    alice_said(space)
    remember(space, "User likes tea", user_id="team/bob@example.org")
    client = ApiClient(key())

    first = client.get("users", limit=1).json()
    second = client.get("users", limit=1, cursor=first["next"]).json()

    [alice], [bob] = first["items"], second["items"]
    assert alice.pop("last_active")
    assert alice == {"user_id": "alice", "memories": 3, "conversations": 1, "assessments": 1}
    assert (bob["user_id"], bob["memories"]) == ("team/bob@example.org", 1)
    assert second["next"] is None
    assert client.delete("users/team%2Fbob@example.org").status_code == 202

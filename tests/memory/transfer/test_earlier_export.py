"""A file that version 0.2.0 exported is imported whole."""

import json
from pathlib import Path

from accounts.models import Space
from memory.models import JobState, Memory, Status
from memory.models.policies import current_policy
from tests.memory.transfer.spaces import imported
from tests.memory.writing import actions

FILE = Path(__file__).parent / "export_0_2_0.jsonl"


def test_an_export_of_the_last_version_is_imported(space: Space) -> None:
    job = imported(space, FILE.read_bytes())

    assert (job.state, job.result["wrong"]) == (JobState.DONE, [])
    memories = Memory.objects.filter(space=space)
    assert {(one.content, one.status, one.user_id) for one in memories} == {
        ("User lives in Porto, near the river", Status.LIVE, None),
        ("用户对花生过敏", Status.LIVE, "alice"),
        ("It rained", Status.BINNED, None),
        ("My dentist appointment is on 3 March 2027", Status.LIVE, None),
    }
    moved = memories.get(external_id="row-1")
    assert (moved.pinned, moved.revision, moved.metadata) == (True, 2, {"origin": {"page": 3}})
    assert sorted(actions(moved)) == ["created", "pinned", "revised"]
    assert current_policy(space).document.capacity == 500
    ends = json.loads(FILE.read_text("utf-8").splitlines()[-1])
    assert ends == {"kind": "end", "rows": 15}

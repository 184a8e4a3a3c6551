"""The example of the async client against a running Ebb."""

from snippets import chat

from ebb_client import Ebb


def test_the_example_program_works(ebb: Ebb) -> None:
    output = chat("async_client.py", ebb.user_id)
    assert "pizza → User likes pizza" in output

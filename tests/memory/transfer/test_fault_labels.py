"""The faults of an import's lines in the reader's language."""

from django.utils.translation import override

from memory.transfer.fault_labels import fault_in_words


def test_known_faults_are_translated_and_others_kept() -> None:
    assert fault_in_words("content: Field required") == "content: is missing"
    assert fault_in_words("not a JSON object") == "not a JSON object"
    assert fault_in_words("content: longer than 8000 characters") == (
        "content: longer than 8000 characters"
    )
    with override("zh-hans"):
        assert fault_in_words("content: Field required") == "content：缺失"

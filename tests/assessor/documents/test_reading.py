"""The text of documents, their passages, and what is refused."""

import re
from pathlib import Path

import pytest

from assessor.documents import reading
from assessor.documents.passages import LENGTH, LONGEST, passages_of
from assessor.documents.reading import (
    MAX_CHARACTERS,
    MAX_PAGES,
    UnreadableDocument,
    is_readable,
    texts_of,
)
from tests.assessor.documents.files import expanding, locked, nested, pdf


def test_texts_of_each_kind() -> None:
    assert texts_of("a.TXT", "\ufeffOlá, Évora".encode()) == ["Olá, Évora"]
    assert texts_of("a.md", b"# Title\n\nWords") == ["# Title\n\nWords"]
    marks = b"# A *trip*\n\nTo **Porto**\nby `train`.\n\n- One\n- Two\n\n| A | B |\n|-|-|\n| 1 | |"
    text = "# A trip\n\nTo Porto\nby train.\n\nOne\n\nTwo\n\nA, B\n1"
    assert texts_of("a.markdown", marks) == [text]
    assert texts_of("a.txt", b"**Porto**") == ["**Porto**"]
    first, second = texts_of("a.pdf", pdf(["I moved to Lisbon.", "I like it."], ["Page two."]))
    assert first.split() == ["I", "moved", "to", "Lisbon.", "I", "like", "it."]
    assert second.strip() == "Page two."
    assert [is_readable(name) for name in ("a.PDF", "b.markdown", "c.docx", "pdf")] == [
        True, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.txt", b"\xff\xfe\x00", "not UTF-8"),
        ("a.txt", b"a\x00b", "not UTF-8"),
        ("a.md", b" \n ", "has no text"),
        ("a.txt", b"x" * (MAX_CHARACTERS + 1), "more than 100,000 characters"),
        ("a.pdf", b"%PDF-1.4 nothing", "cannot be read"),
        ("a.pdf", pdf([]), "has no text"),
        ("a.pdf", pdf(*[["x"]] * (MAX_PAGES + 1)), "more than 50 pages"),
        ("a.pdf", locked(pdf(["x"])), "needs a password"),
        ("a.pdf", expanding(50, 100_000), "more than 100,000 characters"),
        ("a.pdf", expanding(50, 2_001), "more than 100,000 characters"),
        ("a.pdf", expanding(50, 100, 100), "more than 100,000 characters"),
        ("a.pdf", expanding(1, 100_000, 5_000), "too large or too complex"),
        ("a.pdf", nested(5, 30), "more than 100,000 characters"),
    ],
)
def test_what_cannot_be_read_is_said(name: str, data: bytes, sentence: str) -> None:
    with pytest.raises(UnreadableDocument, match=sentence):
        texts_of(name, data)


def test_a_small_pdf_with_much_text_is_still_read() -> None:
    assert len(expanding(50, 2_000)) < 2_000
    assert texts_of("a.pdf", expanding(50, 2_000)) == ["A" * 2_000] * 50
    assert [text.count("play") for text in texts_of("a.pdf", nested(2, 2))] == [4]


def test_a_pdf_that_takes_too_long_ends_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader's limits are those of its own file."""
    source = reading._READER.read_text()
    changed, times = re.subn(r"^SECONDS = \d+", "SECONDS = 0", source, flags=re.MULTILINE)
    assert times == 1
    (tmp_path / "pdf_text.py").write_text(changed)
    monkeypatch.setattr(reading, "_READER", tmp_path / "pdf_text.py")

    with pytest.raises(UnreadableDocument, match="too large or too complex"):
        texts_of("a.pdf", pdf(["x"]))


@pytest.mark.parametrize("output", ["x" * 2**21, "", "[" * 100_000, "null", '{"texts": 7}'])
def test_what_the_reader_writes_is_not_trusted(
    output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pdf_text.py").write_text(f"print({output!r})")
    monkeypatch.setattr(reading, "_READER", tmp_path / "pdf_text.py")

    with pytest.raises(UnreadableDocument):
        texts_of("a.pdf", pdf(["x"]))


def test_the_reader_of_a_pdf_knows_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pdf_text.py").write_text(
        "import json, os; print(json.dumps({'texts': [' '.join(os.environ) + '.']}))"
    )
    monkeypatch.setattr(reading, "_READER", tmp_path / "pdf_text.py")
    monkeypatch.setenv("SECRET_KEY", "x")

    assert "SECRET_KEY" not in texts_of("a.pdf", pdf(["x"]))[0]


def test_passages_keep_sentences_and_headings_together() -> None:
    text = "# Health\n\nI am allergic to\npenicillin. My doctor is Ana.\n\n- one\n- two\n\n\n"
    assert [passage.text for passage in passages_of([text])] == [
        "# Health\nI am allergic to penicillin.\nMy doctor is Ana.", "- one\n- two",
    ]  # fmt: skip
    long = passages_of(["", "This is a sentence of forty letters, yes. " * 30])
    assert {passage.page for passage in long} == {2}
    assert len(long) > 2
    assert all(LENGTH <= len(passage.text) < LENGTH + 50 for passage in long[:-1])
    assert "".join(passage.text for passage in long).count("forty") == 30
    table = passages_of(["x" * (2 * LONGEST + 5)])
    assert [len(passage.text) for passage in table] == [LONGEST, LONGEST, 5]

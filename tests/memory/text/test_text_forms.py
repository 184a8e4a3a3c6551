"""The forms of a text, and their twin in SQL."""

import unicodedata

import pytest
from django.db import connection

from accounts.models import folding
from foundation.texts.forms import FOLDED, comparing_form, composed, folded, tag_form, tag_spellings

ALIKE = [
    ("Meine Straße heißt Königsallee", "Meine Straße heißt Königsallee"),
    ("Meine STRASSE heisst Königsallee", "Meine Straße heißt KÖNIGSALLEE!"),
    ("User was born in １９８４", "User was born in 1984"),
    ("ｶﾞﾗｽのコップ", "ガラスのコップ"),
    ("서울에 산다", unicodedata.normalize("NFD", "서울에 산다")),
    ("İstanbul’da yaşıyor", "istanbul’da yaşıyor"),
    ("Ο Οδυσσέας ήρθε", "Ο ΟΔΥΣΣΈΑΣ ΉΡΘΕ"),
    ("The oﬃce is closed。", "The office is closed"),
    ("Tên tôi là Nguyễn", unicodedata.normalize("NFD", "Tên tôi là Nguyễn")),
    ("q\u0307\u0323 is rare", "q\u0323\u0307 is rare"),
]
DIFFERENT = [("C++", "C#"), ("dış", "diş"), ("3.5 mg", "35 mg"), ("résumé", "resume"), ("!", "...")]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_a_text_has_one_form_however_it_is_written(one: str, other: str) -> None:
    assert comparing_form(one) == comparing_form(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_texts_stay_different(one: str, other: str) -> None:
    assert comparing_form(one) != comparing_form(other)


def test_what_is_stored_keeps_its_letters() -> None:
    text = "Straße １２ ｶﾞ İ"
    assert composed(unicodedata.normalize("NFD", text)) == text
    assert tag_form(" Ｔｅａ İz ") == "tea iz"


def test_a_tag_is_found_in_each_spelling() -> None:
    assert tag_spellings("Tea") == ["tea"]
    assert set(tag_spellings("Straße")) == set(tag_spellings("STRASSE")) == {"straße", "strasse"}
    assert "wasserstraße" in tag_spellings("WASSERSTRASSE")
    assert len(tag_spellings("ss" * 30)) == 16


@pytest.mark.django_db
@pytest.mark.parametrize("text", [one for pair in ALIKE + DIFFERENT for one in pair])
def test_postgresql_gives_the_same_form(text: str) -> None:
    compared, folds = folding.comparing_form("given"), folding.FOLD.format(text="given")
    statement = f"SELECT {compared}, {folds} FROM (VALUES (%s)) AS one(given)"
    with connection.cursor() as cursor:
        cursor.execute(statement, [text])
        assert cursor.fetchone() == (comparing_form(text), folded(text))


def test_each_letter_folds_once() -> None:
    assert all(folded(plain) == plain for _, plain in FOLDED)

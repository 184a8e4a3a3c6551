"""What cannot be is refused at the start, with one line that says what to do."""

import pytest
from pytest_django import Settings

from config.preconditions import StartError, check_embedding

NOTHING = {
    "EBB_EMBEDDING_PROVIDER": "local",
    "EBB_EMBEDDING_MODEL": "all-MiniLM-L6-v2",
    "EBB_EMBEDDING_DIMENSIONS": None,
    "EBB_EMBEDDING_BASE_URL": "",
    "EBB_EMBEDDING_API_KEY": "",
    "VOYAGE_API_KEY": "",
    "VOYAGE_BASE_URL": "",
}


def configure(settings: Settings, values: dict[str, object]) -> None:
    for name, value in (NOTHING | values).items():
        setattr(settings, name, value)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"EBB_EMBEDDING_DIMENSIONS": 384},
        {"EBB_EMBEDDING_PROVIDER": "voyage", "VOYAGE_API_KEY": "pa-1"},
        {"EBB_EMBEDDING_PROVIDER": "openai", "EBB_EMBEDDING_API_KEY": "sk-1"},
        {"EBB_EMBEDDING_PROVIDER": "openai", "EBB_EMBEDDING_BASE_URL": "http://127.0.0.1:1/v1"},
    ],
)
def test_embedding_settings_that_fit_are_taken(
    settings: Settings, values: dict[str, object]
) -> None:
    configure(settings, values)

    check_embedding()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"EBB_EMBEDDING_PROVIDER": "word2vec"}, "there are local, openai, voyage"),
        ({"EBB_EMBEDDING_PROVIDER": "voyage"}, "VOYAGE_API_KEY"),
        ({"EBB_EMBEDDING_PROVIDER": "openai"}, "EBB_EMBEDDING_BASE_URL"),
        ({"EBB_EMBEDDING_MODEL": "text-embedding-3-small"}, "set EBB_EMBEDDING_PROVIDER"),
        ({"EBB_EMBEDDING_DIMENSIONS": 1536}, "384 dimensions"),
    ],
)
def test_embedding_settings_that_contradict_each_other_are_refused(
    settings: Settings, values: dict[str, object], said: str
) -> None:
    configure(settings, values)

    with pytest.raises(StartError, match=said):
        check_embedding()

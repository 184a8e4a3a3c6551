"""No call of the JSON API ignores a query parameter."""

from accounts.models import Space
from memory.models import Memory
from tests.config.test_api_contract import ALL, INSTALLATION, NO_KEY, SCHEMA, Endpoint
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import remember

READS = [endpoint for endpoint in ALL if endpoint.method == "GET"]


def test_an_unknown_parameter_is_refused(key: MakeKey, installation_key: str) -> None:
    operator, owner = ApiClient(installation_key), ApiClient(key())
    for endpoint in READS:
        client = operator if endpoint in INSTALLATION else owner
        answer = client.get(endpoint.at("f926ff7f"), limitt="5")
        assert answer.status_code == 422, (endpoint, answer.content)
        [error] = answer.json()["errors"]
        assert error["field"] == "limitt", endpoint
        for name in documented(endpoint):
            assert name in error["message"], endpoint


def documented(endpoint: Endpoint) -> list[str]:
    """The query parameters that the API's document names."""
    operation = SCHEMA["paths"][endpoint.path]["get"]
    named = [one.get("name", "user_id") for one in operation.get("parameters", [])]
    paths = [one["name"] for one in operation.get("parameters", []) if one.get("in") == "path"]
    headers = [one["name"] for one in operation.get("parameters", []) if one.get("in") == "header"]
    return [name for name in named if name not in {*paths, *headers}]


def test_a_call_about_the_installation_has_no_user(installation_key: str) -> None:
    client, query = ApiClient(installation_key), {"user_id": "alice"}
    for endpoint in INSTALLATION:
        answer = client.call(endpoint.method, endpoint.at("f926ff7f"), {}, query=query)
        assert answer.status_code == 422, (endpoint, answer.content)


def test_a_parameter_is_given_once(key: MakeKey, space: Space) -> None:
    answer = ApiClient(key()).get("memories?limit=1&limit=2")

    assert answer.status_code == 422
    assert answer.json()["detail"] == "limit: may be given only once"


def test_a_write_with_an_unknown_parameter_changes_nothing(key: MakeKey, space: Space) -> None:
    memory = remember(space, "User likes pizza")
    client = ApiClient(key())

    deleted = client.delete(f"memories/{memory.pk}?dry_run=1")
    created = client.post("memories?userid=alice", {"content": "User likes pasta"})

    assert (deleted.status_code, created.status_code) == (422, 422)
    assert list(Memory.objects.live()) == [memory]
    assert client.post("memories?user_id=alice", {"content": "Pasta"}).status_code == 201


def test_a_stranger_learns_no_parameters(db: None) -> None:
    for endpoint in ALL:
        if endpoint.name not in NO_KEY:
            answer = ApiClient(None).call(endpoint.method, endpoint.at("x"), query={"limitt": "5"})
            assert answer.status_code == 401, endpoint.name

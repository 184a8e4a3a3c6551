"""Texts that are masked before assessment and saving, and texts that only look like secrets."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.secrets import mask_json, mask_secrets, mask_together

# Made up, in the issuers' forms; joined here so that no scanner takes them for real.
AWS = "AKIA" + "IOSFODNN7EXAMPLE"
OPENAI = "sk-" + "proj-Ab3dEf6hIj9kLm2nOp5q"
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SLACK = "xoxb-" + "123456789012-abcdefGHIJKL"
STRIPE = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
GOOGLE = "AIza" + "SyA1234567890abcdefGHIJKLmnopqrstuv"
EBB = "ebb_" + "Zk3v9Qw7Lx1Tn5Rb8Yp2Hs6Jd4Gf0Ca-Vm_Ue3Xi7Ko"
JWT = "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + "dozjgNryP4J3jVmNHl0w5N"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc=\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        # Keys
        (f"My key is {AWS}, keep it", "My key is [key], keep it"),
        (f"export OPENAI_API_KEY={OPENAI}", "export OPENAI_API_KEY=[key]"),
        (f"I use {GITHUB}.", "I use [key]."),
        (f"slack: {SLACK}", "slack: [key]"),
        (f"({STRIPE})", "([key])"),
        (f"maps {GOOGLE} works", "maps [key] works"),
        (f"Ebb's own {EBB}", "Ebb's own [key]"),
        (f"cookie {JWT}", "cookie [key]"),
        (f"Authorization: Bearer {'abcdef0123456789' * 2}", "Authorization: Bearer [token]"),
        (f"see\n{PEM}\nthere", "see\n[private key]\nthere"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn", "[private key]"),
        ("the api key is 9f8e7d6c5b4a", "the api key is [key]"),
        ("client_secret = 'q8w7e6r5t4'", "client_secret = '[key]'"),
        ("postgres://bob:s3cret@db.example/x", "postgres://bob:[password]@db.example/x"),
        # Passwords
        ("my password is hunter2", "my password is [password]"),
        ("My password is swordfish.", "My password is [password]."),
        (
            "My wifi password is swordfish and it is long",
            "My wifi password is [password] and it is long",
        ),
        ("pw: Sup3r!Secret", "pw: [password]"),
        ("password: hunter2, user: bob", "password: [password], user: bob"),
        ('the password was "correct horse battery"', 'the password was "[password]"'),
        ("PASSWORD=abc123xyz", "PASSWORD=[password]"),
        ('{"password": "s3same"}', '{"password": "[password]"}'),
        ("My passcode is 4821", "My passcode is [password]"),
        ("我的密码是abc12345", "我的密码是[password]"),
        ("密码：P@ssw0rd，别告诉别人", "密码：[password]，别告诉别人"),
        ("Le mot de passe du wifi, c'est Brie42", "Le mot de passe du wifi, c'est [password]"),
        (
            "I changed my mail password, it's now b1scuit!9 lol",
            "I changed my mail password, it's now [password] lol",
        ),
        (
            "the wifi is called Fjord and the key is lachs-19",
            "the wifi is called Fjord and the key is [password]",
        ),
        (
            "the answer to my bank's security question is Frau Grün.",
            "the answer to my bank's security question is [password].",
        ),
        ("login ana@example.org / Tr4umschiff", "login ana@example.org / [password]"),
        (f"private key of the wallet 0x{'ab12' * 16}", "private key of the wallet [key]"),
        # Codes
        (
            "the code for the front door is 2580#, then push",
            "the code for the front door is [code], then push",
        ),
        ("my PIN is 4821", "my PIN is [code]"),
        ("Mein Passwort ist Hunter2x9.", "Mein Passwort ist [password]."),
        ("La contraseña es: Hunter2x9", "La contraseña es: [password]"),
        ("Пароль: Hunter2x9", "Пароль: [password]"),
        ("パスワードはHunter2x9です", "パスワードは[password]です"),
        ("كلمة المرور: Hunter2x9", "كلمة المرور: [password]"),
        ("密碼＝Hunter2x9", "密碼＝[password]"),
        ("PIN 4821 for the card", "PIN [code] for the card"),
        ("Your verification code is 482913", "Your verification code is [code]"),
        ("482913 is your Google verification code", "[code] is your Google verification code"),
        ("Login code: 123 456", "Login code: [code]"),
        ("验证码：482913，五分钟内有效", "验证码：[code]，五分钟内有效"),
        ("cvv 123", "cvv [code]"),
        # Cards and accounts, by their check digits
        ("card 4111 1111 1111 1111 exp 12/27", "card [card number] exp 12/27"),
        ("5555555555554444", "[card number]"),
        ("4111111111111111 12/29 123", "[card number] 12/29 123"),
        ("2027 4111 1111 1111 1111 222", "2027 [card number] 222"),
        ("4111 1111\n1111 1111\n123", "[card number]\n123"),
        ("4111\u00a01111\u202f1111–1111", "[card number]"),
        ("４１１１ １１１１　１１１１ １１１１", "[card number]"),
        ("3782-822463-10005", "[card number]"),
        ("卡号6200000000000005。", "卡号[card number]。"),
        ("IBAN DE89 3704 0044 0532 0130 00 please", "IBAN [IBAN] please"),
        ("GB82WEST12345698765432", "[IBAN]"),
    ],
)
def test_a_secret_is_masked_and_nothing_else(text: str, masked: str) -> None:
    assert mask_secrets(text) == masked
    assert mask_secrets(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "Mein Passwort ist sicher.",
        "La contraseña es difícil de recordar",
        # Numbers that are no card
        "Call me at +49 151 2345 6789",
        "My phone is 0151-23456789",
        "call 4111 1111",
        "order 4111111111111112 has not come",
        "order number 100001234567",
        "parcel 1234 5678 9012 3456",
        "the date is 2026-02-18 and the time 14:30",
        "at 1739880000000 milliseconds",
        "ISBN 978-3-16-148410-0",
        "IMEI 490154203237518",
        "I have 4 cats, 11 fish and 111111 ants",
        # What code is full of
        "commit 3f786850e387550fdab836ed7e6dc881de23001b broke it",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "the id is 550e8400-e29b-41d4-a716-446655440000",
        "task-force-2000-reunion-plan",
        "risk-averse-people-of-2024-unite",
        "color #a1b2c3d4",
        "the token bucket holds 20 tokens",
        "token: str",
        "def login(user, password): ...",
        "password = None",
        "if password is None:",
        "https://example.org:8080/path@home",
        # Talk about passwords
        "my password is too weak",
        "I think my password is on a sticky note at home",
        "my password is expired",
        "the password was wrong again!",
        "Passwords are stored hashed.",
        "password: required",
        "I forgot my password, and the reset mail never came",
        "my password is 12 characters long",
        "我的密码是我的生日",
        "我忘了密码",
        "the secret is to let the dough rest",
        "The secret: patience and a good oven",
        "My key is under the mat",
        "He is the bearer of good news, she says",
        "basic misunderstandings happen",
        # Talk about codes
        "the pin is 12 mm long",
        "I pinned 2500 photos",
        "my zip code is 10115",
        "the area code is 030",
        "error code 500100",
        "discount code SPRING2026",
        "pin 4x40",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert mask_secrets(text) == text


def test_json_is_masked_to_any_depth_and_by_its_names() -> None:
    context = {
        "note": "my password is hunter2",
        "login": {"user": "bob", "db_password": "plain", "retries": 3},
        "list": [f"use {AWS}", 7, None],
        "api_key": "anything",
        "token": "",
    }
    assert mask_json(context, mask_secrets) == {
        "note": "my password is [password]",
        "login": {"user": "bob", "db_password": "[secret]", "retries": 3},
        "list": ["use [key]", 7, None],
        "api_key": "[secret]",
        "token": "",
    }


def test_a_secret_of_one_text_is_masked_in_all_that_belong_to_it() -> None:
    assert mask_together(["my password is hunter2", "hunter2? Or hunter22?", ""]) == [
        "my password is [password]",
        "[password]? Or hunter22?",
        "",
    ]


@given(st.text(st.sampled_from(string.ascii_lowercase + " 0123456789:-.\"'\n密码"), max_size=300))
def test_masking_twice_is_masking_once(text: str) -> None:
    once = mask_secrets(f"password: {text}")
    assert mask_secrets(once) == once

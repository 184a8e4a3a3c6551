"""Numbers that identify cards and accounts: their forms and check digits."""

import re

# Card numbers, without gaps or in their printed groups, also across a line break. Each group starts
# a match, so that a date or a code next to the number is not part of it.
_DIGIT = r"[0-9０-９]"
_GAP = r"(?:[ \t\u00a0\u2007\u2009\u202f\u3000.\u2010-\u2015-]{1,2}|[ \t]?\r?\n[ \t]?)"
CARD = (
    rf"(?<![\w+.-])(?<!{_DIGIT})(?=(?P<value>{_DIGIT}{{13,19}}"
    rf"|(?:{_DIGIT}{{4}}{_GAP}){{3}}{_DIGIT}{{4}}|{_DIGIT}{{4}}{_GAP}{_DIGIT}{{6}}{_GAP}{_DIGIT}{{4,5}})"
    rf"(?!{_DIGIT})(?![\w-]))"
)
CARD_UNGROUPED = r"(?<![\w+.-])\d(?:[ -]?\d){12,18}(?![\w-])"
_BRANDS = re.compile(
    r"4(?:\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0|6|8)\d{12}"
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12}|35\d{14}|62\d{14,17}"
    # Maestro
    r"|(?:50[0-9]{2}|5[678]\d\d|6304|6390|67\d\d)\d{8,15}"
)

IBAN = r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \u00a0\u202f-]?[A-Za-z0-9]){11,30}"
# The lengths of ISO 13616's registry, by country.
_IBAN_LENGTHS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18"
    " DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23"
    " IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20"
    " MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18"
    " SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
)
_LENGTHS = {one[:2]: int(one[2:]) for one in _IBAN_LENGTHS.split()}


def card(value: str) -> int:
    """Return the length of a card number: an issuer's prefix and length, and the check digit
    (Luhn, ISO/IEC 7812-1). 0 for another number."""
    digits = [int(character) for character in value if character.isdigit()]
    if not _BRANDS.fullmatch("".join(map(str, digits))):
        return 0
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return len(value) if (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 else 0


def iban(value: str) -> int:
    """Return the length of the account number that the text begins with: its country's length, and
    the check digits of ISO 13616. 0 if it does not begin with one.
    """
    places = [place for place, character in enumerate(value) if character.isalnum()]
    length = _LENGTHS.get(value[:2].upper(), 0)
    if not 0 < length <= len(places):
        return 0
    end = places[length - 1] + 1
    plain = "".join(character for character in value[:end] if character.isalnum())
    number = "".join(str(int(character, 36)) for character in plain[4:] + plain[:4])
    return end if int(number) % 97 == 1 else 0

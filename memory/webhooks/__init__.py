"""Telling other programs: the signature, the addresses that may be told, the request itself."""

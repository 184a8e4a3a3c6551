"""Reads. Every one on memories begins with a space; formulas meet columns here and only here."""

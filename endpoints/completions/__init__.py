"""The OpenAI-compatible API: adds memory between any OpenAI client and the configured model.

Otherwise requests and answers pass through unchanged.
"""

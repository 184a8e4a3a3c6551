"""The OpenAI-compatible API: any OpenAI client in front, the configured model behind, memory
between. What a client sends and what the model answers go through as they are.
"""

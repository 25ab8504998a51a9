"""Reads data/ and nothing else does."""

"""Trainfit: which LLMs can be trained on the GPUs you have, how, and how we know."""

"""Ranges over several attributes at once: data, questions, and the methods of others that answer them."""

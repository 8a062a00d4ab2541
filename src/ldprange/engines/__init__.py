"""Engines: the same aggregate, counted by more than one machine."""

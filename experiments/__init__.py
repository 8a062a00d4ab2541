"""The paper's evaluation, run again."""

"""What every other part stands on: checks, array types, threads, whole files, addresses."""

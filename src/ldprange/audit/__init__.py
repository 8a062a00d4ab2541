"""Whether what is shipped is as private as it says: exactly, by its thresholds, and by what it sends."""

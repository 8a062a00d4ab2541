"""People who lie together: what they do to answers, and how often that is noticed."""

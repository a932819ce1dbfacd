"""Sync: fetch beside our own refs, judge, merge, push. What the refs hold, others know."""

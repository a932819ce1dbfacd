"""A guided first run, in a scratch repository of its own."""

"""The one shared mechanism: an append-only chain of signed steps on a ref."""

"""What may be wrong with a clone, each found with the command that mends it."""

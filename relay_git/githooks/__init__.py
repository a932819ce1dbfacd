"""What git calls: the hooks in place, and what each of them does."""

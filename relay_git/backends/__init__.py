"""What answers a prompt: a program, a service. Named by the user, never by a tracked file."""

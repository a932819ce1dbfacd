"""git-relay: the work of coding agents, kept in git as signed steps that become lessons."""

__version__ = "0.1.0"

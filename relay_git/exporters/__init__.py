"""The workflow in the forms that agent tools read: agents, commands, rules and hooks.

Each tool has a module of its own, so that a format that changes changes one file.
"""

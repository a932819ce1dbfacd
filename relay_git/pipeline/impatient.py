"""Threads that nobody waits for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor


class Impatient(ThreadPoolExecutor):
    """For an event loop that ends with a step: what was given up there, and hangs in a thread,
    does not keep the step from ending."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait=False, cancel_futures=True)

"""A clock that moves only when it is told to."""

NANOSECONDS = 1_000_000_000


class SimulatedClock:
    """Nanoseconds from a fixed start; goes forward only."""

    def __init__(self, start: int = NANOSECONDS) -> None:
        self._now = start

    @property
    def now(self) -> int:
        """The time in nanoseconds."""
        return self._now

    def after(self, seconds: float) -> int:
        """Return the time that many seconds from now."""
        return self._now + round(seconds * NANOSECONDS)

    def move_to(self, time: int) -> None:
        """Go on to a time; one that is past changes nothing."""
        self._now = max(self._now, time)

"""Problems of one file: collected without an end in sight, listed up to a cap, the rest counted aloud."""

from assay.problems import Problem

CAP = 20


class Faults:
    """Collects the problems of one file. Holds at most `cap` of them, so a broken file of a million lines costs no
    memory and fills no screen; `problems()` ends with a line that counts those not listed."""

    def __init__(self, file: str, cap: int = CAP) -> None:
        self.file = file
        self.cap = cap
        self.total = 0
        self._listed: list[Problem] = []

    def add(self, row: int, text: str, todo: str) -> None:
        """Note one problem at line `row` (0 = the whole file)."""
        self.total += 1
        if len(self._listed) < self.cap:
            self._listed.append(Problem(self.file, row, text, todo))

    def problems(self) -> list[Problem]:
        """Return the listed problems in the order found, and how many more there are."""
        more = self.total - len(self._listed)
        if not more:
            return list(self._listed)
        text = f"{more} more problems of this file are not listed"
        return [*self._listed, Problem(self.file, 0, text, "Mend those listed first; then check again")]

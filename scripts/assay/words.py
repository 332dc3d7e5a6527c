"""Words that follow a number."""


def counted(number: int, noun: str) -> str:
    """Return a number and its noun, in the plural unless it is one: "1 verdict", "0 verdicts"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"

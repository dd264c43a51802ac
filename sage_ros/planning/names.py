"""Names of objects: ``mug_2`` comes before ``mug_10``."""


def natural(name: str) -> tuple[str, int]:
    """Return a key that sorts names by type and number."""
    stem, _, number = name.rpartition('_')
    return (stem, int(number)) if stem and number.isdecimal() else (name, -1)

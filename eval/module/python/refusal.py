"""What a file or a module does that darwarp does not take."""


class Refused(Exception):
    """One line for the user: why the module is not imported."""


def first_line(error):
    """What an exception says, in one line."""
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    return "%s: %s" % (type(error).__name__, lines[0][:300]) if lines else type(error).__name__

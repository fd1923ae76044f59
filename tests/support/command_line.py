"""Run the command line in this process."""

from sobremesa import cli


def sobremesa(*words):
    """Run the command line and return its exit code."""
    try:
        return cli.main([str(word) for word in words])
    except SystemExit as end:
        return end.code


def one_line(text):
    """Assert that `text` is one short line that a terminal shows as it is, and return it."""
    assert text.endswith("\n")
    assert text[:-1].isprintable()
    assert len(text) < 2_000
    return text

"""The program: `mha-quiz`, or `python -m mha_quiz`."""

import errno
import sys


def run() -> None:
    """Run the command line; Ctrl-C ends it quietly also while its parts are still loaded."""
    try:
        from mha_quiz.cli import main
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    try:
        main()
    except OSError as error:  # a full disk under what click itself prints: the help and the version
        if error.errno != errno.ENOSPC:
            raise
        sys.exit(f"Error: the output was not written: {error.strerror}")


if __name__ == "__main__":
    run()

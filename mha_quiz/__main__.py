"""The program: `mha-quiz`, or `python -m mha_quiz`."""


def run() -> None:
    """Run the command line; Ctrl-C ends it quietly also while its parts are still loaded."""
    try:
        from mha_quiz.cli import main
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    main()


if __name__ == "__main__":
    run()

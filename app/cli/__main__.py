"""`python -m app.cli`: how one of our processes starts another, whatever the PATH."""

from app.cli import main

if __name__ == "__main__":
    main()

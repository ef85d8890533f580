"""`python -m app.cli`: how our processes start each other, independently of the PATH."""

from app.cli import main

if __name__ == "__main__":
    main()

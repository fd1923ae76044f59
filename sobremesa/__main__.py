"""Entry point of `python -m sobremesa`."""

from sobremesa.cli import main

raise SystemExit(main())

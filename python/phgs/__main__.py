"""``python -m phgs``."""

import sys

from phgs.cli import main

sys.exit(main())

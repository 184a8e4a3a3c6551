"""`python -m benchmarks`: runs the benchmarks of `make bench`, one after the other, each in its own
process."""

import subprocess
import sys

for name in ("recall", "recall_large", "first_token"):
    print(f"\n## {name}", flush=True)
    subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)

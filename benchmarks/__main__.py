"""`python -m benchmarks`: what `make bench` runs, one after the other in processes of their own."""

import subprocess
import sys

for name in ("embedding", "recall", "recall_large", "first_token"):
    print(f"\n## {name}", flush=True)
    subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)

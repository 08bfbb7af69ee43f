"""`cargo xtask soak python [ENDS [FORKS [READS]]]`: what must never happen to a process of Python.

Threads work while the interpreter ends, children are forked before and after their parent worked,
and everything is asked of a learner while another thread observes. Exit code 1 if a process
crashed, hung or panicked.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice, product
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "python" / "tests"))

import crashes

Try = tuple[str, Callable[[], str]]


def tries(ends: int, forks: int, reads: int) -> Iterator[Try]:
    """What is tried, each in a process of its own."""
    for n, (work, end) in enumerate(islice(cycle(product(crashes.WORK, crashes.ENDS)), ends)):
        delay = 0.05 + 0.1 * (n % 10)
        name = f"{work} at {end} after {delay:.2f} s"
        yield name, lambda w=work, e=end, n=n, d=delay: crashes.ended(w, e, 1 + n % 3, d)
    for way, used in islice(cycle(product(crashes.FORKS, (False, True))), forks):
        name = f"{way}, {'after' if used else 'before'} its parent worked"
        yield name, lambda way=way, used=used: crashes.forked(way, used)
    yield "a long call of a learner in Python", lambda: crashes.ended(crashes.LONG, "the last line")
    for destroy in (False, True):
        name = f"an interpreter within another, destroyed: {destroy}"
        yield name, lambda destroy=destroy: crashes.nested(destroy)
    yield f"{reads} reads of everything", lambda: crashes.readers(reads)


def main() -> int:
    """The exit code."""
    given = [int(number) for number in sys.argv[1:]]
    wrong = count = 0
    began = time.monotonic()
    for name, attempt in tries(*(given + [40, 20, 5000][len(given) :])):
        found = attempt()
        count += 1
        if found:
            wrong += 1
            print(f"{name}: {found}", flush=True)
    seconds = time.monotonic() - began
    print(f"{count} processes in {seconds:.0f} s, {wrong} crashed, hung or panicked")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

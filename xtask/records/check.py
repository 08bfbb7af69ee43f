"""Opens the records of a study with pandas, polars and DuckDB, and compares them with the report.

Usage: check.py FOLDER. Exit code 1, with a line for each, if something differs.
"""

import json
import math
import pathlib
import re
import sys

import duckdb
import pandas
import polars

folder = pathlib.Path(sys.argv[1])
wrong = []


def expect(holds, what):
    if not holds:
        wrong.append(what)


plan = json.loads((folder / "plan.json").read_text())
manifests = {
    path.stem: json.loads(path.read_text()) for path in (folder / "manifests").glob("*.json")
}
finished = {job for job, manifest in manifests.items() if manifest["error"] is None}
expect(
    len(manifests) == len(plan["jobs"]),
    f"{len(manifests)} manifests of {len(plan['jobs'])} jobs",
)

# every table, by three libraries, as one frame
for table in ["runs", "episodes", "plans", "probes"]:
    files = list((folder / table).glob("*.parquet"))
    if not files:
        continue
    by_pandas = pandas.read_parquet(folder / table)
    by_polars = polars.read_parquet(str(folder / table / "*.parquet"))
    by_duckdb = duckdb.sql(f"select * from read_parquet('{folder / table}/*.parquet')").df()
    for name, frame in [("polars", by_polars.to_pandas()), ("DuckDB", by_duckdb)]:
        expect(
            list(frame.columns) == list(by_pandas.columns),
            f"{table}: other columns by {name}",
        )
        expect(
            len(frame) == len(by_pandas),
            f"{table}: {len(frame)} rows by {name}, {len(by_pandas)} by pandas",
        )
        for column in by_pandas.select_dtypes("number").columns:
            a, b = frame[column].sum(), by_pandas[column].sum()
            expect(
                math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12),
                f"{table}.{column}: {a} by {name}, {b}",
            )
    expect(
        set(by_pandas["job"]) <= finished,
        f"{table}: rows of a job that is not finished",
    )
    # times stand in the manifests alone
    expect(
        not any("second" in column or "time" in column for column in by_pandas.columns),
        f"{table}: a time",
    )
    print(f"{table}: {len(by_pandas)} rows in {len(files)} files")

runs = pandas.read_parquet(folder / "runs")
expect(set(runs["job"]) == finished, "runs: not one row for each finished job")

# the last recorded episode of a run is its last finished one, and every power of two is there
episodes = pandas.read_parquet(folder / "episodes")
last = episodes.groupby("job")["episode"].max()
for job, row in runs.set_index("job").iterrows():
    if row["episodes"] > 0:
        expect(
            last.get(job) == row["episodes"],
            f"{job}: the last episode is {last.get(job)}, not {row['episodes']}",
        )
    if row["outcome"] == "finished":
        end = episodes[(episodes["job"] == job) & (episodes["episode"] == row["episodes"])]
        expect(
            end["gap_regret"].iloc[0] == row["gap_regret"],
            f"{job}: another gap regret at the end of its curve",
        )
    kept = set(episodes.loc[episodes["job"] == job, "episode"])
    powers = {2**e for e in range(64) if 2**e <= row["episodes"]} | {
        10**e for e in range(20) if 10**e <= row["episodes"]
    }
    expect(powers <= kept, f"{job}: the episodes {sorted(powers - kept)} are missing")

# the numbers of the report are those of the records
html = (folder / "report.html").read_text()
island = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', html, re.DOTALL)
data = json.loads(island.group(1))
cells = {}
for job in plan["jobs"]:
    if job["hash"] in finished:
        cells.setdefault((job["world"], job["learner"]), []).append(job["hash"])
by_job = runs.set_index("job")
learners = len(data["learners"])
compared = 0
for number, cell in enumerate(data["runs"]):
    jobs = cells.get((number // learners, number % learners), [])
    for column in ["gap_regret", "regret"]:
        if not jobs:
            expect(
                cell[column] is None,
                f"{cell['world']}, {cell['learner']}: a {column} without runs",
            )
            continue
        mean = by_job.loc[jobs, column].mean()
        expect(
            math.isclose(cell[column], mean, rel_tol=1e-12, abs_tol=1e-12),
            f"{cell['world']}, {cell['learner']}: {column} "
            f"{cell[column]} in the report, {mean} by pandas",
        )
        compared += 1
print(f"{compared} numbers of the report compared")
expect(compared > 0, "nothing was compared")
expect(len(html.encode()) < 5_000_000, f"the report has {len(html.encode())} bytes")

for line in wrong[:20]:
    print(f"DIFFERS: {line}", file=sys.stderr)
sys.exit(1 if wrong else 0)

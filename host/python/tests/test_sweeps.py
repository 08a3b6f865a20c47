"""Sweeps on engines: the bytes of one machine, whatever dies on the way. An engine that is not installed is skipped by its name."""

import csv
import json
import os
import random
import runpy
import shutil
import signal
import stat
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

import vinci.sweep
from vinci.sweep._plan import call, program

SCENES = Path(__file__).resolve().parents[2] / "scenes"


def sweep(samples, duration=0.1):
    """Four cases of a sliding block on two rungs: 8 runs for every sample."""
    return {
        "format": "vinci/sweep@1", "name": "sliding", "experiment": str(SCENES / "sliding-block.json"), "seed": 7,
        "cases": {"grid": {"v0": {"from": 1, "to": 2, "count": 2}, "which": {"values": ["lemke", "newton"]}}},
        "samples": {"random": {"count": samples, "mu": {"uniform": [0.1, 0.6]}}},
        "set": {"scene.bodies.block.velocity[0]": "v0", "scene.materials.default.friction": "mu", "solver.plugin": "which", "time.duration": duration},
        "ladder": [{"name": "coarse"}, {"name": "fine", "set": {"time.step": "0.002"}}],
        "outcome": {"success": "block.vx < 0.75*v0", "measure": {"x": "block.x"}},
    }


@pytest.fixture
def small(tmp_path):
    """A plan, and the bytes of its rows on one machine."""
    return planned(tmp_path, sweep(6))


@pytest.fixture
def longer(tmp_path):
    """The same with shards of about a second."""
    return planned(tmp_path, sweep(100, 0.4))


def planned(place, document):
    (place / "s.sweep.json").write_text(json.dumps(document))
    call(["sweep", place / "s.sweep.json", "--out", place / "one", "--jobs", "2"])
    return vinci.sweep.plan(place / "s.sweep.json"), rows(place / "one")


def rows(directory):
    return (Path(directory) / "rows.parquet").read_bytes()


def engine(name, advice):
    try:
        return __import__(name)
    except ImportError:
        pytest.skip(f"{name} is not installed: {advice}")


@pytest.fixture(scope="module")
def cluster():
    distributed = engine("distributed", 'pip install "dask[distributed]"')
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


@pytest.fixture(scope="module")
def ray():
    ray = engine("ray", "pip install ray")
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield ray
    ray.shutdown()


def test_the_plan_says_what_is_in_it(small):
    plan, _ = small
    assert (plan.name, plan.runs, plan.units) == ("sliding", 48, 24)
    assert vinci.sweep.Plan.load(plan.path) == plan
    other = plan.path.with_name("other.json")
    other.write_text("{}")
    with pytest.raises(vinci.sweep.SweepError, match="is no plan of a sweep: `vinci.sweep.plan` writes one"):
        vinci.sweep.Plan.load(other)


@pytest.mark.parametrize("shared", [True, False])
def test_dask_gives_the_bytes_of_one_machine(small, cluster, tmp_path, shared):
    plan, expected = small
    told = []
    out = vinci.sweep.dask(plan, cluster, tmp_path / "out", shards=5, shared=shared, progress=told.append)
    assert rows(out) == expected
    assert (told[-1]["done"], told[-1]["shards"], told[-1]["made"], told[-1]["left"]) == (5, 5, 48, 0.0)
    assert not (tmp_path / "out.parts").exists()


def test_a_cluster_without_workers_is_an_error_in_the_end(small, tmp_path):
    """It was waited for workers without a word."""
    distributed = engine("distributed", 'pip install "dask[distributed]"')
    plan, _ = small
    with distributed.LocalCluster(n_workers=0, dashboard_address=None) as empty, distributed.Client(empty) as client:
        with pytest.raises(vinci.sweep.SweepError, match=r"the cluster has had no worker for 0.5 s: start one \(`dask worker`\)"):
            vinci.sweep.dask(plan, client, tmp_path / "out", wait=0.5)


def test_a_later_call_goes_on_with_the_shards_of_the_earlier_one(small, tmp_path):
    """Parts were cut anew for as many workers as there were, and what had been run was run again."""
    engine("joblib", "pip install joblib")
    plan, expected = small
    parts = tmp_path / "parts"
    call(["sweep", "run", plan.path, "--shard", "2/7", "--out", parts])
    told = []
    out = vinci.sweep.joblib(plan, tmp_path / "out", workers=1, parts=parts, progress=told.append)
    assert rows(out) == expected and told[-1]["shards"] == 7 and told[-1]["made"] < plan.runs


def test_a_process_that_a_signal_ends_is_told_as_that():
    """What was told was the warnings before, as JSON."""
    import vinci.sweep._plan as plans

    line = ["sh", "-c", """echo '{"severity": "warning", "message": "w"}' >&2; kill -9 $$"""]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with pytest.raises(vinci.sweep.SweepError, match=r"^a signal ended the process \(9\)$"):
        plans.call([], process)


def test_ray_gives_the_bytes_of_one_machine(small, ray, tmp_path):
    plan, expected = small
    for shared in (True, False):
        out = vinci.sweep.ray(plan, tmp_path / f"out{shared}", shards=5, shared=shared, progress=False)
        assert rows(out) == expected


def test_shards_that_no_machine_has_room_for_are_refused(small, ray, tmp_path):
    """It was waited for a machine of 64 processors without end."""
    with pytest.raises(vinci.sweep.SweepError, match="jobs=64: a shard takes as many CPUs of one machine"):
        vinci.sweep.ray(small[0], tmp_path / "out", jobs=64)


def test_joblib_gives_the_bytes_of_one_machine(small, tmp_path, capsys):
    engine("joblib", "pip install joblib")
    plan, expected = small
    assert rows(vinci.sweep.joblib(plan, tmp_path / "out", workers=2, shards=5)) == expected
    assert "5 of 5 shards, 48 runs" in capsys.readouterr().err


def killing(pids, seed, times):
    """Kills one of the processes that `pids` gives, at random times, from a thread of its own; how many it killed."""
    chance, killed, over = random.Random(seed), [], threading.Event()

    def work():
        while len(killed) < times and not over.wait(chance.uniform(0.1, 0.8)):
            there = pids()
            if not there:
                continue
            pid = chance.choice(there)
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue  # it ended by itself
            killed.append(pid)

    thread = threading.Thread(target=work)
    thread.start()

    def stop():
        over.set()
        thread.join()
        return len(killed)

    return stop


def test_dask_workers_that_are_killed_cost_their_shard_in_flight(longer, cluster, tmp_path):
    plan, expected = longer
    nannies = cluster.cluster.workers.values()
    stop = killing(lambda: [n.process.process.pid for n in nannies if n.process and n.process.process and n.process.process.pid], 1, 3)
    told = []
    out = vinci.sweep.dask(plan, cluster, tmp_path / "out", shards=8, retries=20, progress=told.append)
    assert stop() >= 1, "nothing was killed"
    assert rows(out) == expected and told[-1]["made"] + told[-1]["resumed"] == plan.runs


def test_ray_workers_that_are_killed_cost_their_shard_in_flight(longer, ray, tmp_path):
    plan, expected = longer

    def workers():
        # Those of this cluster that run a shard bear its name.
        listed = subprocess.run(["ps", "-eww", "-o", "pid,ppid,args"], capture_output=True, text=True).stdout.splitlines()[1:]
        split = [line.split(None, 2) for line in listed]
        return [int(pid) for pid, parent, args in split if int(parent) == raylet() and "ray::run_shard" in args]

    def raylet():
        return ray._private.worker._global_node.all_processes["raylet"][0].process.pid

    stop = killing(workers, 2, 3)
    told = []
    out = vinci.sweep.ray(plan, tmp_path / "out", shards=8, retries=20, progress=told.append)
    assert stop() >= 1, "nothing was killed"
    assert rows(out) == expected and told[-1]["lost"] >= 1


def test_processes_that_are_killed_cost_their_shard_in_flight(longer, tmp_path):
    engine("joblib", "pip install joblib")
    plan, expected = longer

    def shards():
        out = subprocess.run(["ps", "-eww", "-o", "pid,args"], capture_output=True, text=True).stdout.splitlines()
        words = f"{tmp_path / 'out.parts'}"
        return [int(line.split()[0]) for line in out if words in line and "--worker" not in line]

    stop = killing(shards, 3, 3)
    told = []
    out = vinci.sweep.joblib(plan, tmp_path / "out", workers=2, shards=8, retries=20, progress=told.append)
    assert stop() >= 1, "nothing was killed"
    assert rows(out) == expected and told[-1]["lost"] >= 1


def test_what_is_sealed_is_not_run_again(small, tmp_path):
    engine("joblib", "pip install joblib")
    plan, expected = small
    parts = tmp_path / "parts"
    call(["sweep", "run", plan.path, "--shard", "2/3", "--out", parts])
    told = []
    out = vinci.sweep.joblib(plan, tmp_path / "out", workers=2, shards=3, parts=parts, progress=told.append, keep_parts=True)
    assert rows(out) == expected and (told[-1]["made"], told[-1]["resumed"]) == (32, 16)
    assert sorted(p.name for p in parts.iterdir()) == [f"part-{i}-of-3.parquet" for i in (1, 2, 3)]


def test_a_shard_that_cannot_run_says_why_and_is_not_run_again(small, tmp_path):
    engine("joblib", "pip install joblib")
    plan, _ = small
    text = plan.path.read_text()
    assert text.count('"seed": 7') == 1
    plan.path.write_text(text.replace('"seed": 7', '"seed": 8'))
    with pytest.raises(vinci.sweep.SweepError, match="does not plan what it was written for") as raised:
        vinci.sweep.joblib(plan, tmp_path / "out", workers=1, shards=2, progress=False)
    assert raised.value.code == 3 and raised.value.findings[0]["code"] == "contradiction"


@pytest.mark.parametrize("name, package", [("distributed", "dask"), ("ray", "ray"), ("joblib", "joblib")])
def test_an_engine_that_is_missing_is_named_with_advice(small, monkeypatch, name, package):
    plan, _ = small
    monkeypatch.setitem(sys.modules, name, None)
    adapter = getattr(vinci.sweep, package)
    with pytest.raises(ImportError, match=f"vinci.sweep.{package} needs .*: pip install"):
        adapter(plan, None) if package == "dask" else adapter(plan)


@pytest.fixture
def store(monkeypatch):
    """A server of S3 on this machine, with an empty bucket; what reaches it stands in the environment."""
    engine("s3fs", "pip install s3fs")
    engine("moto", 'pip install "moto[server]"')
    from moto.server import ThreadedMotoServer

    import s3fs

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings = {"AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    store = s3fs.S3FileSystem(use_listings_cache=False)
    store.mkdir("rows")
    yield store
    # What a server of moto holds outlives it.
    urllib.request.urlopen(urllib.request.Request(f"http://{host}:{port}/moto-api/reset", method="POST"))
    server.stop()
    s3fs.S3FileSystem.clear_instance_cache()


def test_a_store_holds_parts_and_results(small, store, tmp_path):
    engine("joblib", "pip install joblib")
    plan, expected = small

    def run(**more):
        told = []
        # One worker is this process, which has the keys.
        out = vinci.sweep.joblib(plan, "s3://rows/out", workers=1, shards=3, progress=told.append, **more)
        return out, (told[-1]["made"], told[-1]["resumed"])

    # A part that was made elsewhere is taken as it is.
    call(["sweep", "run", plan.path, "--shard", "2/3", "--out", tmp_path / "parts"])
    store.put_file(str(tmp_path / "parts/part-2-of-3.parquet"), "rows/out.parts/part-2-of-3.parquet")
    assert run(keep_parts=True) == ("s3://rows/out", (32, 16))
    assert store.cat_file("rows/out/rows.parquet") == expected
    assert sorted(store.ls("rows/out.parts", detail=False)) == [f"rows/out.parts/part-{i}-of-3.parquet" for i in (1, 2, 3)]
    names = sorted(name.removeprefix("rows/out/") for name in store.find("rows/out"))
    assert names == sorted(file.name for file in (tmp_path / "one").iterdir() if not file.name.startswith("."))
    # A damaged one is refused, and stays.
    damaged = bytearray(store.cat_file("rows/out.parts/part-3-of-3.parquet"))
    damaged[200] ^= 1
    store.pipe_file("rows/out.parts/part-3-of-3.parquet", bytes(damaged))
    with pytest.raises(vinci.sweep.SweepError, match="does not hold what its run wrote"):
        run()
    assert store.cat_file("rows/out.parts/part-3-of-3.parquet") == damaged
    store.rm_file("rows/out.parts/part-3-of-3.parquet")
    assert run() == ("s3://rows/out", (16, 32))
    assert not store.exists("rows/out.parts")


def test_results_of_another_plan_in_a_store_are_not_replaced(small, store, tmp_path):
    engine("joblib", "pip install joblib")
    plan, expected = small
    vinci.sweep.joblib(plan, "s3://rows/out", workers=1, shards=2, progress=False)
    other = vinci.sweep.plan(tmp_path / "s.sweep.json", tmp_path / "other.json", options=["--cases", "0..1"])
    with pytest.raises(vinci.sweep.SweepError, match="it holds the rows of another plan"):
        vinci.sweep.joblib(other, "s3://rows/out", workers=1, shards=2, progress=False)
    assert store.cat_file("rows/out/rows.parquet") == expected
    vinci.sweep.joblib(other, "s3://rows/out", workers=1, shards=2, progress=False, force=True)
    assert store.cat_file("rows/out/rows.parquet") != expected
    with pytest.raises(ValueError, match="write to a directory that the nodes share; `out` alone may be a URL"):
        vinci.sweep.slurm(plan, out="s3://rows/out")


def test_workers_of_dask_put_parts_into_a_store(small, store, tmp_path):
    distributed = engine("distributed", 'pip install "dask[distributed]"')
    plan, expected = small
    # Of its own: workers have the environment of their start.
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        out = vinci.sweep.dask(plan, client, tmp_path / "out", parts="s3://rows/parts", shards=4, progress=False)
    assert rows(out) == expected and not store.exists("rows/parts")


def test_a_store_without_fsspec_is_named_with_advice(small, monkeypatch):
    engine("joblib", "pip install joblib")
    plan, _ = small
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ImportError, match="s3://rows/out.parts/part-1-of-2.parquet needs fsspec, .*: pip install fsspec s3fs"):
        vinci.sweep.joblib(plan, "s3://rows/out", workers=1, shards=2, progress=False)


def test_the_search_of_the_part_feeder_asks_and_tells(tmp_path):
    engine("optuna", "pip install optuna")
    engine("joblib", "pip install joblib")
    # The design that the study's random search left, under the same draws: the example finds the study's own rate.
    study = json.loads((SCENES / "part-feeder.sweep.json").read_text())
    whole = {**study, "experiment": str(SCENES / "part-feeder.json"), "prune": "never"}
    (tmp_path / "whole.sweep.json").write_text(json.dumps(whole))
    call(["sweep", tmp_path / "whole.sweep.json", "--only", "st", "--cases", "5101..5102", "--out", tmp_path / "whole"])
    with open(tmp_path / "whole" / "rows.csv", newline="") as table:
        expected = list(csv.DictReader(table))
    design = {name: float(expected[0][name]) for name in study["cases"]["random"] if name != "count"}
    successes = sum(row["success"] == "true" for row in expected)
    assert len(expected) == 40 and successes >= 20
    example = runpy.run_path(str(SCENES.parent / "python" / "examples" / "part_feeder.py"))
    assert example["rate"](study, design, 40, tmp_path) == successes / 40
    assert example["rate"](study, {**design, "pin_radius": 0.02}, 8, tmp_path) < 1.0
    found, again = (example["search"](6, draws=2) for _ in range(2))
    assert [(t.params, t.value) for t in found.trials] == [(t.params, t.value) for t in again.trials]
    assert len(found.trials) == 6 and all(0 <= t.value <= 1 for t in found.trials)


def test_plans_are_refined_around_the_best():
    example = runpy.run_path(str(SCENES.parent / "python" / "examples" / "needle_peg_plans.py"))
    rows = [{"case": case, "success": success} for case, success in [("7", "true"), ("7", "false"), ("9", "true"), ("9", "true")]]
    assert [(score, row["case"]) for score, row in example["scores"](rows)] == [(1.0, "9"), (0.5, "7")]
    ranges = {"depth": [0.0, 1.0], "height": [0.0, 1.0]}
    laws = example["laws"](ranges, [{"depth": 0.2, "height": 0.5}, {"depth": 0.4, "height": 0.5}])
    assert laws["depth"] == {"normal": pytest.approx([0.3, 0.1]), "within": [0.0, 1.0]}
    assert laws["height"] == {"normal": [0.5, 0.02], "within": [0.0, 1.0]}, "never narrower than a part of the range"


SBATCH = """#!/bin/sh
# Runs the tasks of an array one after the other, as a node would; the third is lost.
for word; do case $word in --array=*) array=${word#--array=};; esac; file=$word; done
for range in $(echo "$array" | tr , ' '); do
  i=${range%-*}
  while [ "$i" -le "${range#*-}" ]; do
    if [ "$i" = 3 ] && [ ! -e "$LOST" ]; then touch "$LOST"; else SLURM_ARRAY_TASK_ID=$i sh -c "bash '$file'" >/dev/null || exit 1; fi
    i=$((i + 1))
  done
done
echo "$array" >> "$SUBMITTED"
echo "17;cluster"
"""


@pytest.fixture
def sbatch(tmp_path, monkeypatch):
    place = tmp_path / "bin"
    place.mkdir()
    stub = place / "sbatch"
    stub.write_text(SBATCH)
    stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("LOST", str(tmp_path / "lost"))
    monkeypatch.setenv("SUBMITTED", str(tmp_path / "submitted"))
    return tmp_path / "submitted"


def test_an_array_of_slurm_gives_the_bytes_of_one_machine(small, sbatch, tmp_path):
    plan, expected = small
    job = vinci.sweep.slurm(plan, "short", tmp_path / "with space", shards=5, options={"time": "00:10:00"}, submit=True)
    lines = job.script.read_text().splitlines()
    for line in ("#SBATCH --partition=short", "#SBATCH --array=1-5", "#SBATCH --time=00:10:00", "#SBATCH --cpus-per-task=1"):
        assert line in lines
    assert (job.id, job.missing()) == ("17", [3])
    with pytest.raises(vinci.sweep.SweepError, match=r"1 of 5 shards are not sealed \(3\): submit the job again"):
        job.merge()
    job.submit()
    assert sbatch.read_text().split() == ["1-5", "3"]
    assert rows(job.merge()) == expected
    with pytest.raises(vinci.sweep.SweepError, match="all 5 shards are sealed"):
        job.submit()


def test_the_file_of_slurm_is_clean(small, tmp_path):
    plan, _ = small
    job = vinci.sweep.slurm(plan, out=tmp_path / "it's here", shards=5)
    assert subprocess.run(["bash", "-n", str(job.script)]).returncode == 0
    if shutil.which("shellcheck") is None:
        pytest.skip("shellcheck is not installed: apt-get install shellcheck")
    checked = subprocess.run(["shellcheck", str(job.script)], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def test_keys_of_slurm_are_written_as_it_reads_them(small, tmp_path):
    plan, _ = small
    options = {"exclusive": True, "requeue": None, "overcommit": False, "comment": "a b"}
    job = vinci.sweep.slurm(plan, out=tmp_path / "50%", shards=2, script=tmp_path / "s.sbatch", options=options)
    lines = job.script.read_text().splitlines()
    assert {"#SBATCH --exclusive", "#SBATCH --requeue", '#SBATCH --comment="a b"'} <= set(lines)
    assert f"#SBATCH --output={tmp_path}/50%%.parts/shard-%a.log" in lines and "overcommit" not in job.script.read_text()


def test_options_that_slurm_has_no_place_for_are_refused(small):
    plan, _ = small
    with pytest.raises(ValueError, match="`array` is set by the file itself"):
        vinci.sweep.slurm(plan, options={"array": "1-9"})
    with pytest.raises(ValueError, match="is no key of #SBATCH"):
        vinci.sweep.slurm(plan, options={"time": "1\nrm -r /"})
    with pytest.raises(ValueError, match="is no key of #SBATCH"):
        vinci.sweep.slurm(plan, options={"comment": 'a" b'})
    with pytest.raises(ValueError, match="shards is 0"):
        vinci.sweep.slurm(plan, shards=0)


def test_without_a_program_the_advice_says_where_it_is_looked_for(monkeypatch):
    monkeypatch.delenv("VINCI_PROGRAM", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(Path, "is_file", lambda self: False)
    with pytest.raises(vinci.sweep.SweepError, match="put it on the path, or name it in the variable VINCI_PROGRAM"):
        program()

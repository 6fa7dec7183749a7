"""Measurement files from strangers: no other file is read, and no memory is filled."""

from __future__ import annotations

import io
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from percuss.identification.data.measured import MOST_BYTES, Measured, read_measured, write_measured
from percuss.model.errors import ModelError
from percuss.scenario import ScenarioError, load

TIMES = np.arange(1, 6) / 10


def plain(path: Path) -> h5py.File:
    """A file with times, to which something is added."""
    write_measured(Measured(TIMES, {"joint.9": TIMES}), path)
    return h5py.File(path, "a")


def external_storage(file: h5py.File, secret: Path) -> None:
    file.create_dataset("joint.1", (5,), "f8", external=[(str(secret), 0, 40)])


def external_link(file: h5py.File, secret: Path) -> None:
    file["joint.1"] = h5py.ExternalLink(str(secret), "joint.1")


def soft_link_to_an_external_one(file: h5py.File, secret: Path) -> None:
    file["hidden"] = h5py.ExternalLink(str(secret), "/")
    file["joint.1"] = h5py.SoftLink("/hidden/joint.1")


def soft_link(file: h5py.File, secret: Path) -> None:
    del secret
    file["joint.1"] = h5py.SoftLink("/time")


def link_in_a_group(file: h5py.File, secret: Path) -> None:
    file["joint.1"] = TIMES
    file.create_group("inner")["x"] = h5py.ExternalLink(str(secret), "joint.1")


def virtual(file: h5py.File, secret: Path) -> None:
    layout = h5py.VirtualLayout((5,), "f8")
    layout[:] = h5py.VirtualSource(str(secret), "joint.1", (5,))
    file.create_virtual_dataset("joint.1", layout)


@pytest.mark.parametrize(
    ("add", "said"),
    [
        (external_storage, "external"),
        (external_link, "link"),
        (soft_link_to_an_external_one, "link"),
        (soft_link, "link"),
        (link_in_a_group, "link"),
        (virtual, "virtual"),
    ],
)
def test_other_files_are_not_read(
    add: Callable[[h5py.File, Path], None], said: str, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.nc"
    with h5py.File(secret, "w") as file:
        file["joint.1"] = np.full(5, 42.0)
    with plain(tmp_path / "measured.nc") as file:
        add(file, secret)
    with pytest.raises(ModelError, match=rf"measured\.nc: .*{said}"):
        read_measured(tmp_path / "measured.nc")


def declared(file: h5py.File) -> None:
    file.create_dataset("joint.1", (10**9,), "f8", chunks=(1000,))


def compressed(file: h5py.File) -> None:
    values = file.create_dataset(
        "joint.1", (0,), "f8", chunks=(10**6,), maxshape=(None,), compression="gzip"
    )
    values.resize((10**9,))


def one_large_chunk(file: h5py.File) -> None:
    file.create_dataset("joint.1", (5,), "f8", chunks=(2 * 10**8,), maxshape=(None,))


def many(file: h5py.File) -> None:
    for k in range(10, 50):
        file.create_dataset(f"joint.{k}", (10**6,), "f8", chunks=(1000,))


def texts(file: h5py.File) -> None:
    file.create_dataset("joint.1", (10**9,), h5py.string_dtype(), chunks=(1000,))


def attribute(file: h5py.File) -> None:
    file["joint.1"] = TIMES
    file["joint.1"].attrs.create("units", np.zeros(7000))


@pytest.mark.parametrize("add", [declared, compressed, one_large_chunk, many, texts, attribute])
def test_a_small_file_cannot_ask_for_much_memory(
    add: Callable[[h5py.File], None], tmp_path: Path
) -> None:
    place = tmp_path / "measured.nc"
    with plain(place) as file:
        add(file)
    assert place.stat().st_size < 200_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ModelError, match=r"at most|must hold numbers"):
        read_measured(place)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 300_000, "kB"


def test_groups_that_hold_each_other_end(tmp_path: Path) -> None:
    with plain(tmp_path / "measured.nc") as file:
        group = file.create_group("inner")
        group["again"] = group
        group["root"] = file["/"]
    assert read_measured(tmp_path / "measured.nc").names == ("joint.9",)


def test_filters_that_would_load_a_library_are_refused(tmp_path: Path) -> None:
    with plain(tmp_path / "measured.nc") as file:
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((5,))
        creation.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, (3,))
        space = h5py.h5s.create_simple((5,))
        h5py.h5d.create(file.id, b"joint.1", h5py.h5t.NATIVE_DOUBLE, space, dcpl=creation)
    with pytest.raises(ModelError, match="filter 32015"):
        read_measured(tmp_path / "measured.nc")


def test_compressed_measurements_are_read(tmp_path: Path) -> None:
    import h5netcdf

    with h5netcdf.File(tmp_path / "measured.nc", "w") as file:
        file.dimensions = {"time": 5}
        for name in ("time", "joint.1"):
            packed = {"compression": "gzip", "shuffle": True, "chunks": (2,)}
            file.create_variable(name, ("time",), float, **packed)[...] = TIMES
    assert read_measured(tmp_path / "measured.nc").columns["joint.1"].tolist() == TIMES.tolist()


def test_classic_files_declare_no_more_than_they_hold(tmp_path: Path) -> None:
    from scipy.io import netcdf_file

    buffer = io.BytesIO()
    with netcdf_file(buffer, "w") as file:
        file.createDimension("time", 7)
        file.createVariable("time", "f8", ("time",))[:] = np.arange(7)
        file.flush()
        data = buffer.getvalue()
    place = tmp_path / "measured.nc"
    place.write_bytes(data.replace((7).to_bytes(4, "big"), (2**31 - 1).to_bytes(4, "big")))
    with pytest.raises(ModelError, match=r"measured\.nc"):
        read_measured(place)


# --- files that are too large, or no files ------------------------------------------------------


def test_a_large_table_is_refused_before_it_is_read(tmp_path: Path) -> None:
    place = tmp_path / "measured.csv"
    with place.open("wb") as file:
        file.truncate(MOST_BYTES + 1)  # a hole, which takes no space
    with pytest.raises(ModelError, match=f"larger than {MOST_BYTES // 10**6} MB"):
        read_measured(place)


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "measured.csv"
    for text in ("," * 3_000_000, "time,joint.1\n" + "," * 3_000_000):
        place.write_text(text)
        with pytest.raises(ModelError, match=r"line \d: is longer than"):
            read_measured(place)


READERS = {
    "measurements": "from percuss.identification.data.measured import read_measured as read",
    "sensors": "from percuss.identification.data.sensors import read_sensors as read",
    "scenario": "from percuss import load as read",
    "urdf": "from percuss import read_urdf as read",
    "system": "from percuss import load_system as read",
}


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("source", ["/dev/zero", "pipe"])
def test_pipes_and_devices_are_refused_at_once(kind: str, source: str, tmp_path: Path) -> None:
    if source == "pipe":
        source = str(tmp_path / "pipe")
        os.mkfifo(source)
    code = (
        f"{READERS[kind]}\nfrom percuss import ModelError\n"
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))\n"
        "try: read(__import__('sys').argv[1])\n"
        "except ModelError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, source],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert "is a pipe or a device" in done.stdout, done.stderr
    assert "at most" in done.stdout


def test_a_scenario_names_a_device_as_its_robot(tmp_path: Path) -> None:
    place = tmp_path / "s.yaml"
    place.write_text(
        "chaser: {urdf: /dev/zero, mode: free-floating}\n"
        "target: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, contact: [0, 0, 1]}\n"
        "impact: {closure: pin}\nduration: 1 s\n"
    )
    with pytest.raises(ScenarioError, match="is a pipe or a device"):
        load(place)

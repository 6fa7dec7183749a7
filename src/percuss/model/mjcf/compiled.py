"""A model as MuJoCo compiles it, without the files that only pictures need."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from percuss.model.errors import ModelError, ModelNotice
from percuss.model.mjcf.scan import Scan

_MASSLESS = 1e-12
"""What a massless body weighs for the compiler (kg, kg m²): it refuses less than 1e-15."""

_INFO = re.compile(r"\bline (\d+)")
_REFUSED = re.compile(r"(?:\bElement\b.*?\bline |\bLine number=)([1-9]\d*)")
"""MuJoCo's ways to name a line; 0 is a line of an included file, which it does not know."""


@dataclass(frozen=True)
class Compiled:
    """A compiled model with what compiling forgets."""

    mujoco: Any
    spec: Any
    """The `MjSpec`: elements as they were read, with their lines and their ids in `model`."""
    model: Any
    """The `MjModel`."""
    folder: Path | None
    meshes: dict[int, str]
    """Geometry that was a mesh, by id: the name of the mesh."""
    files: dict[str, tuple[Path, tuple[float, ...]]]
    """File and scale (x, y, z) of each mesh by name."""
    massless: bool
    """Whether the file has no mass anywhere."""

    def line(self, element: Any) -> int:
        """The line of an element of `spec`, 0 where MuJoCo does not tell it."""
        found = _INFO.search(element.info)
        return int(found.group(1)) if found else 0


def compile_mjcf(scanned: Scan) -> Compiled:
    """Parse and compile; what MuJoCo refuses is a ModelError with its line."""
    mujoco = _library()
    with _notices(mujoco, scanned.source):
        try:
            spec = mujoco.MjSpec.from_string(scanned.text, include=scanned.included)
        except (ValueError, mujoco.FatalError) as error:
            raise _refusal(scanned.source, error) from error
        # Static bodies and looks stay: they become named frames and visuals.
        spec.compiler.fusestatic = False
        spec.compiler.discardvisual = False
        if scanned.folder is not None:
            spec.modelfiledir = str(scanned.folder.resolve())
        if len(spec.flexes):
            raise ModelError(
                f"{scanned.source}: deformable bodies (flex) are not supported; a tree of rigid "
                "bodies is"
            )
        looks = _without_pictures(mujoco, spec, scanned)
        model, massless = _compiled(mujoco, spec, scanned.source)
    meshes, files = looks
    return Compiled(
        mujoco=mujoco,
        spec=spec,
        model=model,
        folder=scanned.folder,
        meshes={geom.id: mesh for geom, mesh in meshes},
        files=files,
        massless=massless,
    )


def _library() -> Any:
    try:
        return importlib.import_module("mujoco")
    except ModuleNotFoundError as error:
        raise ImportError(
            "MJCF is read by MuJoCo, which is not installed: pip install 'percuss[mjcf]'"
        ) from error


@contextmanager
def _notices(mujoco: Any, source: str) -> Iterator[None]:
    """MuJoCo's warnings as ours: by itself it writes some to a file in the current folder."""
    before, said = mujoco.get_mju_user_warning(), []
    mujoco.set_mju_user_warning(said.append)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    finally:
        mujoco.set_mju_user_warning(before)
    said += [str(warning.message) for warning in caught]
    for text in dict.fromkeys(said):
        warnings.warn(f"{source}: MuJoCo: {text}", ModelNotice, stacklevel=5)


def _refusal(source: str, error: Exception) -> ModelError:
    """MuJoCo's message on one line, with the file and the line in front."""
    text = str(error).strip()
    line = _REFUSED.search(text)
    words = [part.strip() for part in text.splitlines() if part.strip()]
    place = f"{source}, line {line.group(1)}" if line else source
    return ModelError(f"{place}: MuJoCo cannot read it: {'; '.join(words)}")


def _without_pictures(mujoco: Any, spec: Any, scanned: Scan) -> Any:
    """Take out what needs files and has no mass; return (meshes, files).

    A mesh stays only where it makes the inertia of its body: elsewhere a small ball without
    mass stands in for it, at the same place.
    """
    types = mujoco.mjtGeom
    always = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    meshes: list[tuple[Any, str]] = []
    used: set[str] = set()
    for body in spec.bodies:
        weighs = always or not (body.explicitinertial or body.name == "world")
        for geom in list(body.geoms):
            if geom.type == types.mjGEOM_HFIELD:
                spec.delete(geom)
                continue
            if not geom.meshname:
                continue
            if geom.type == types.mjGEOM_MESH:
                meshes.append((geom, geom.meshname))
            if weighs and geom.mass != 0:
                used.add(geom.meshname)
            else:
                geom.type, geom.meshname = types.mjGEOM_SPHERE, ""
                geom.size, geom.mass = (1.0, 0.0, 0.0), 0.0
    folder = Path() if scanned.folder is None else scanned.folder
    inside = folder / spec.compiler.meshdir
    files = {
        mesh.name: (inside / mesh.file, tuple(float(x) for x in mesh.scale))
        for mesh in spec.meshes
        if mesh.file
    }
    for name in used & set(files):
        _refuse_outside(files[name][0], scanned)
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for elements in (spec.textures, spec.hfields, spec.skins):
        for element in list(elements):
            spec.delete(element)
    for mesh in list(spec.meshes):
        if mesh.name not in used:
            spec.delete(mesh)
    return meshes, files


def _refuse_outside(path: Path, scanned: Scan) -> None:
    if scanned.folder is None:
        raise ModelError(
            f"{scanned.source}: the mesh {path.name!r} gives a body its inertia, but there is no "
            "folder to look in; give folder=…"
        )
    if not path.resolve().is_relative_to(scanned.folder.resolve()):
        raise ModelError(
            f"{scanned.source}: the mesh {path.name!r} is outside the folder of the model; only "
            "files in it are read"
        )


def _compiled(mujoco: Any, spec: Any, source: str) -> tuple[Any, bool]:
    """The compiled model, and whether the file has no mass at all."""
    try:
        return spec.compile(), False
    except (ValueError, mujoco.FatalError) as error:
        refusal = _refusal(source, error)
        if "mass and inertia of moving bodies" not in str(error):
            raise refusal from error
    # A file without any mass is good for kinematics. MuJoCo compiles it with a token mass,
    # which tells the bodies that have none from those that do.
    spec.compiler.boundmass = spec.compiler.boundinertia = _MASSLESS
    try:
        model = spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        raise _refusal(source, error) from error
    if any(mass > _MASSLESS for mass in model.body_mass):
        raise refusal
    return model, True

// The camera: where it looks from, and the words that lie over the picture.

(() => {
  const { data, find, locate } = percuss;
  const { add, sub, scaled, dot, cross, product } = percuss.vectors;
  const { tracks, at, finite, outline, center, chosen, whole, drifts, radius } = percuss.bodies;
  const { words, tips } = percuss.marks;
  const scene = data.scene;
  const screen = find("screen");

  const FIELD = Math.tan((17 * Math.PI) / 180);
  const camera = {};

  function basis() {
    const { azimuth, elevation } = camera;
    const back = [Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation)];
    const right = [-Math.sin(azimuth), Math.cos(azimuth), 0];
    return { back, right, up: cross(back, right) };
  }

  function reset() {
    const base = tracks.find((t) => t.owner === "chaser") || tracks[0];
    const other = tracks.find((t) => t.owner === "target");
    camera.azimuth = -Math.PI / 2;
    camera.elevation = Math.PI / 2 - 1e-4;
    if (!data.planar) {
      const way = base && other ? sub(at(other.positions, scene.ghost.sample), at(base.positions, scene.ghost.sample)) : [1, 0, 0];
      camera.azimuth = (Math.hypot(way[0], way[1]) > 1e-6 ? Math.atan2(way[1], way[0]) : 0) - Math.PI / 2 - 0.4;
      camera.elevation = 0.36;
    }
    camera.follow = drifts;
    frame();
    find("follow").setAttribute("aria-pressed", String(camera.follow));
  }

  // Centre and distance that show everything of the time looked at from this side.
  function frame() {
    const { back, right, up } = basis();
    camera.reference = percuss.nearest(percuss.state.from);
    const points = drifts ? outline(camera.reference) : chosen().flatMap(outline);
    points.push(...tips().slice(0, drifts ? 1 : undefined));
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const [p, r] of points) {
      [right, up, back].forEach((axis, i) => {
        low[i] = Math.min(low[i], dot(axis, p) - r);
        high[i] = Math.max(high[i], dot(axis, p) + r);
      });
    }
    if (!finite(low)) low.fill(-1), high.fill(1);
    const middle = low.map((v, i) => (v + high[i]) / 2);
    camera.center = add(add(scaled(right, middle[0]), scaled(up, middle[1])), scaled(back, middle[2]));
    const aspect = (screen.clientWidth || 1) / (screen.clientHeight || 1);
    // The legend and buttons take the top of the screen.
    const room = Math.min(0.3, 36 / (screen.clientHeight || 360));
    const half = Math.max((high[0] - low[0]) / 2 / aspect, (high[1] - low[1]) / 2 / (1 - room)) || 1;
    camera.center = add(camera.center, scaled(up, room * half));
    camera.distance = ((drifts ? 1.5 : 1.1) * half) / FIELD + (data.planar ? 0 : 0.6 * (high[2] - low[2]) / 2);
  }

  // Matrix, eye and axes for a canvas at the time of the player.
  function view(canvas) {
    const { back, right, up } = basis();
    const place = locate(percuss.state.time);
    const shift = camera.follow ? sub(center(...place), center(camera.reference)) : [0, 0, 0];
    const middle = add(camera.center, finite(shift) ? shift : [0, 0, 0]);
    const far = camera.distance + 40 * whole.size;
    const near = Math.max(camera.distance / 200, camera.distance - 8 * whole.size - 1);
    const eye = add(middle, scaled(back, camera.distance));
    const aspect = canvas.width / canvas.height;
    const look = [
      right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
      -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
    ];
    const project = new Float32Array(16);
    if (data.planar) {
      const half = camera.distance * FIELD;
      const depth = 40 * whole.size;
      project.set([1 / (half * aspect), 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -1 / depth, 0, 0, 0, -camera.distance / depth, 1]);
    } else {
      const f = 1 / FIELD;
      project.set([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0]);
    }
    return { matrix: product(project, look), eye, back, right, up, middle, place };
  }

  function onScreen(matrix, p) {
    const w = matrix[3] * p[0] + matrix[7] * p[1] + matrix[11] * p[2] + matrix[15];
    const px = (matrix[0] * p[0] + matrix[4] * p[1] + matrix[8] * p[2] + matrix[12]) / w;
    const py = (matrix[1] * p[0] + matrix[5] * p[1] + matrix[9] * p[2] + matrix[13]) / w;
    return [((px + 1) / 2) * screen.clientWidth, ((1 - py) / 2) * screen.clientHeight];
  }

  const spacing = (() => {
    const wanted = radius / 3;
    const power = 10 ** Math.floor(Math.log10(wanted));
    return power * (wanted / power < 2 ? 1 : wanted / power < 5 ? 2 : 5);
  })();

  function labels(now) {
    for (const [id, text, strength, from, to, across] of words(now.place)) {
      const tag = find(id);
      tag.style.opacity = strength;
      if (!(strength > 0)) continue;
      tag.textContent = text;
      const [a, b] = [onScreen(now.matrix, from), onScreen(now.matrix, to)];
      const long = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
      let way = [(b[0] - a[0]) / long, (b[1] - a[1]) / long];
      // Beside a line below it, so that it does not meet the words at an arrow above.
      if (across) way = way[0] < 0 ? [way[1], -way[0]] : [-way[1], way[0]];
      const [wide, high] = [tag.offsetWidth, tag.offsetHeight];
      const far = 8 + Math.min(wide / 2 / Math.abs(way[0]), high / 2 / Math.abs(way[1])); // to the edge of the words
      const middle = across ? [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] : b;
      const left = Math.max(6, Math.min(screen.clientWidth - wide - 6, middle[0] + far * way[0] - wide / 2));
      const top = Math.max(40, Math.min(screen.clientHeight - high - 40, middle[1] + far * way[1] - high / 2));
      tag.style.transform = `translate(${left}px, ${top}px)`;
    }
    find("scale").textContent = `grid ${percuss.number(spacing)} m`;
    [["x", 0], ["y", 1], ["z", 2]].forEach(([name, i]) => {
      const place = find(`axis-${name}`);
      const [px, py] = [now.right[i], now.up[i]];
      const hidden = Math.hypot(px, py) < 0.15;
      place.style.visibility = hidden ? "hidden" : "visible";
      place.style.transform = `translate(${44 + 38 * px - 3}px, ${screen.clientHeight - 46 - 38 * py - 9}px)`;
    });
  }

  percuss.camera = { state: camera, screen, FIELD, spacing, basis, reset, frame, view, onScreen, labels };
})();

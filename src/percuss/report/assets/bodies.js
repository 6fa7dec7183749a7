// The bodies on their way: where each is at a time, how much room they take, what there is to draw.

(() => {
  const { data, times, state, floats } = percuss;
  const { add, sub, scaled, length, mix, turn, times4, takingZTo } = percuss.vectors;
  const scene = data.scene;

  const tracks = scene.tracks.map((t) => ({ ...t, positions: floats(t.positions), quaternions: floats(t.quaternions) }));
  const trails = { tool: scene.tool && floats(scene.tool), target: scene.target && floats(scene.target) };
  const at = (points, k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
  const finite = (v) => v.every(Number.isFinite);

  function between(points, [k, s]) {
    return s === 0 ? at(points, k) : mix(at(points, k), at(points, k + 1), s);
  }

  // Position by straight lines, attitude by the normalised mean of neighbours on one side.
  function poseOf(track, place) {
    const [k, s] = place;
    const q = track.quaternions;
    const a = [q[4 * k], q[4 * k + 1], q[4 * k + 2], q[4 * k + 3]];
    let turned = a;
    if (s > 0) {
      const b = [q[4 * k + 4], q[4 * k + 5], q[4 * k + 6], q[4 * k + 7]];
      const side = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
      turned = a.map((c, n) => (1 - s) * c + side * s * b[n]);
    }
    const n = Math.hypot(...turned) || 1;
    return { p: between(track.positions, place), q: turned.map((c) => c / n) };
  }

  function shapeRadius(shape) {
    const [a, b = 0, c = 0] = shape.size;
    const own = shape.shape === "box" ? Math.hypot(a, b, c) / 2 : shape.shape === "cylinder" ? Math.hypot(a, b / 2) : a;
    return own + length(shape.position);
  }

  // Points that matter for the view at one sample, with the radius around each.
  function outline(k) {
    const points = [];
    for (const track of tracks) {
      const pose = poseOf(track, [k, 0]);
      if (!finite(pose.p)) continue;
      points.push([pose.p, 0]);
      for (const shape of track.shapes) {
        const reach = shapeRadius({ ...shape, position: [0, 0, 0] });
        points.push([add(pose.p, turn(pose.q, shape.position)), reach]);
      }
    }
    return points;
  }

  function center(k, s = 0) {
    const found = tracks.map((t) => between(t.positions, [k, s])).filter(finite);
    return scaled(found.reduce(add, [0, 0, 0]), 1 / (found.length || 1));
  }

  const timeOf = ([k, s]) => (s > 0 ? times[k] + s * (times[k + 1] - times[k]) : times[k]);

  // Some samples of the time looked at, evenly spaced in time: contacts have many samples.
  function chosen() {
    const steps = Math.min(60, times.length);
    const found = Array.from({ length: steps + 1 }, (_, n) => percuss.nearest(state.from + (n / steps) * (state.to - state.from)));
    return [...new Set(found)];
  }

  const extent = (points) => {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const [p, r] of points) {
      for (let i = 0; i < 3; i++) {
        low[i] = Math.min(low[i], p[i] - r);
        high[i] = Math.max(high[i], p[i] + r);
      }
    }
    return finite(low) ? { low, high, size: length(sub(high, low)) / 2 } : { low: [-1, -1, -1], high: [1, 1, 1], size: 1 };
  };
  const start = extent(outline(0));
  // At the impact, or at the closest approach: this says how large things are.
  const compact = extent(outline(scene.ghost.sample));
  const room = Math.max(start.size, compact.size);
  const whole = extent(chosen().flatMap(outline));
  // A pair that drifts far would be a dot in a view of its whole way: look along with it.
  const drifts = whole.size > 2.2 * room;
  const radius = drifts ? room * 1.3 : whole.size;
  const thin = 0.012 * compact.size;

  // --- what there is to draw -----------------------------------------------------------------
  const BLUES = [[0.36, 0.49, 0.66], [0.66, 0.77, 0.9], [0.45, 0.6, 0.8]];
  const ORANGE = [0.93, 0.52, 0.13];
  const linkRadius = Math.min(...tracks.flatMap((t) => t.shapes.filter((s) => s.shape === "cylinder" && s.size[1] > 2 * s.size[0]).map((s) => s.size[0])), Infinity);
  let links = 0;
  for (const track of tracks) {
    const base = track.parent === null;
    track.color = track.owner === "target" ? ORANGE : base ? BLUES[0] : BLUES[1 + (links++ % 2)];
    track.bare = track.shapes.length === 0;
    track.hub = track.owner === "chaser" && !base;
  }
  const hubSize = Number.isFinite(linkRadius) ? Math.min(1.5 * linkRadius, 4 * thin) : 2 * thin;
  const boneSize = thin;

  // Heights of upper faces: a target that swings over the base is drawn above it.
  const layer = (track) => (track.owner === "target" ? 0.4 * thin : 0);

  function parts(place) {
    const found = [];
    const poses = tracks.map((track) => poseOf(track, place));
    tracks.forEach((track, n) => {
      const pose = poses[n];
      if (!finite(pose.p) || !finite(pose.q)) return;
      for (const shape of track.shapes) {
        const q = times4(pose.q, shape.quaternion);
        let p = add(pose.p, turn(pose.q, shape.position));
        const [a, b = a, c = a] = shape.size;
        let size = [a, b, c];
        if (shape.shape === "cylinder") size = [a, a, b];
        if (shape.shape === "sphere") size = [a, a, a];
        const disk = shape.shape === "cylinder" && b < a;
        // In the plane, arms lie on top of the bodies that carry and meet them.
        if (data.planar && (disk || shape.shape === "box")) p = add(p, [0, 0, layer(track) - size[2] / 2]);
        found.push({ shape: shape.shape, p, q, size, color: track.color, disk, opacity: shape.opacity });
      }
      if (track.bare) found.push({ shape: "sphere", p: pose.p, q: pose.q, size: Array(3).fill(track.parent === null ? 4 * thin : 2.2 * thin), color: track.color, opacity: 1 });
      if (track.hub && !track.bare) {
        const shape = data.planar ? "cylinder" : "sphere";
        const size = data.planar ? [hubSize, hubSize, 2.2 * hubSize] : Array(3).fill(hubSize);
        found.push({ shape, p: pose.p, q: pose.q, size, color: scaled(track.color, 0.62), opacity: 1 });
      }
      const carrier = tracks[track.parent];
      if (carrier && carrier.bare) bone(found, poses[track.parent].p, pose.p, carrier.color);
    });
    const held = timeOf(place) >= scene.heldFrom ? scene.heldBody : null;
    for (const n of [scene.toolBody, held]) {
      const holder = tracks[n];
      if (holder && holder.bare && trails.tool) bone(found, poses[n].p, between(trails.tool, place), holder.color);
    }
    return found;
  }

  function bone(found, from, to, color) {
    const along = sub(to, from);
    if (!finite(along) || length(along) < 1e-9) return;
    found.push({ shape: "cylinder", p: mix(from, to, 0.5), q: takingZTo(along), size: [boneSize, boneSize, length(along)], color, opacity: 1 });
  }

  percuss.bodies = { tracks, trails, at, finite, between, timeOf, outline, center, chosen, start, compact, whole, drifts, radius, thin, hubSize, parts };
})();

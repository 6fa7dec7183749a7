// The animation: bodies by WebGL 2, or by lines on a plain canvas where there is none.

(() => {
  const { data, times, first, last, find, locate } = percuss;
  const scene = data.scene;
  let canvas = find("scene");
  const screen = find("screen");

  // --- vectors, quaternions (w, x, y, z), matrices by column ---------------------------------
  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const length = (a) => Math.hypot(a[0], a[1], a[2]);
  const unit = (a) => scaled(a, 1 / (length(a) || 1));
  const mix = (a, b, s) => add(scaled(a, 1 - s), scaled(b, s));

  function turn(q, v) {
    const u = [q[1], q[2], q[3]];
    const across = scaled(cross(u, v), 2);
    return add(add(v, scaled(across, q[0])), cross(u, across));
  }

  function times4(a, b) {
    return [
      a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
      a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
      a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
      a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ];
  }

  // The shortest turn that takes z to a direction.
  function takingZTo(direction) {
    const d = unit(direction);
    if (d[2] < -0.999999) return [0, 1, 0, 0];
    const q = [1 + d[2], -d[1], d[0], 0];
    const n = Math.hypot(...q);
    return q.map((c) => c / n);
  }

  function product(a, b) {
    const c = new Float32Array(16);
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 4; j++) {
        for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
      }
    }
    return c;
  }

  // --- the record ----------------------------------------------------------------------------
  function floats(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Float32Array(bytes.buffer);
  }

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

  const step = Math.max(1, Math.floor(times.length / 60));
  const chosen = times.map((_, k) => k).filter((k) => k % step === 0);
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
  const whole = extent(chosen.flatMap(outline));
  // A pair that drifts far would be a dot in a view of its whole way: look along with it.
  const drifts = whole.size > 2.2 * start.size;
  const radius = drifts ? start.size * 1.3 : whole.size;
  const thin = 0.012 * start.size;

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
        found.push({ shape: shape.shape, p, q, size, color: track.color, disk });
      }
      if (track.bare) found.push({ shape: "sphere", p: pose.p, q: pose.q, size: Array(3).fill(track.parent === null ? 4 * thin : 2.2 * thin), color: track.color });
      if (track.hub && !track.bare) {
        const shape = data.planar ? "cylinder" : "sphere";
        const size = data.planar ? [hubSize, hubSize, 2.2 * hubSize] : Array(3).fill(hubSize);
        found.push({ shape, p: pose.p, q: pose.q, size, color: scaled(track.color, 0.62) });
      }
      const carrier = tracks[track.parent];
      if (carrier && carrier.bare) bone(found, poses[track.parent].p, pose.p, carrier.color);
    });
    for (const n of [scene.toolBody, scene.heldBody]) {
      const holder = tracks[n];
      if (holder && holder.bare && trails.tool) bone(found, poses[n].p, between(trails.tool, place), holder.color);
    }
    return found;
  }

  function bone(found, from, to, color) {
    const along = sub(to, from);
    if (!finite(along) || length(along) < 1e-9) return;
    found.push({ shape: "cylinder", p: mix(from, to, 0.5), q: takingZTo(along), size: [boneSize, boneSize, length(along)], color });
  }

  const FADE = 0.12 * (last - first);
  const glow = (time) => (FADE > 0 ? Math.max(0, 1 - (time - Math.max(first, 0)) / FADE) : 1);
  const impulseSize = scene.impulse ? length(scene.impulse) : 0;

  function arrow() {
    if (!scene.contact || !finite(scene.contact)) return [];
    const found = [{ shape: "sphere", p: scene.contact, q: [1, 0, 0, 0], size: Array(3).fill(1.6 * thin), color: [1, 0.85, 0.35] }];
    if (!(impulseSize > 0)) return found;
    const along = unit(scene.impulse);
    const reach = 0.32 * start.size;
    const q = takingZTo(along);
    const shaft = 0.78 * reach;
    found.push({ shape: "cylinder", p: add(scene.contact, scaled(along, shaft / 2)), q, size: [0.7 * thin, 0.7 * thin, shaft], color: [1, 0.85, 0.35] });
    found.push({ shape: "cone", p: add(scene.contact, scaled(along, shaft)), q, size: [2 * thin, 2 * thin, reach - shaft], color: [1, 0.85, 0.35] });
    return found;
  }

  // --- the camera ----------------------------------------------------------------------------
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
      const way = base && other ? sub(at(other.positions, 0), at(base.positions, 0)) : [1, 0, 0];
      camera.azimuth = (Math.hypot(way[0], way[1]) > 1e-6 ? Math.atan2(way[1], way[0]) : 0) - Math.PI / 2 - 0.4;
      camera.elevation = 0.36;
    }
    camera.follow = drifts;
    frame();
    find("follow").setAttribute("aria-pressed", String(camera.follow));
    redraw();
  }

  // Centre and distance that show everything from this side.
  function frame() {
    const { back, right, up } = basis();
    const points = drifts ? outline(0) : chosen.flatMap(outline);
    if (scene.contact && impulseSize > 0) points.push([add(scene.contact, scaled(unit(scene.impulse), 0.32 * start.size)), 0]);
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

  function view() {
    const { back, right, up } = basis();
    const place = locate(percuss.state.time);
    const shift = camera.follow ? sub(center(...place), center(0)) : [0, 0, 0];
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
    const strength = glow(percuss.state.time);
    const tag = find("impulse");
    tag.style.opacity = impulseSize > 0 && scene.contact ? strength : 0;
    if (impulseSize > 0 && scene.contact) {
      tag.textContent = `impulse ${percuss.number(impulseSize, 3)} N s`;
      const [px, py] = onScreen(now.matrix, add(scene.contact, scaled(unit(scene.impulse), 0.34 * start.size)));
      const wide = screen.clientWidth - tag.offsetWidth - 6;
      tag.style.transform = `translate(${Math.max(6, Math.min(wide, px - tag.offsetWidth / 2))}px, ${Math.max(40, py - 26)}px)`;
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

  // --- WebGL ---------------------------------------------------------------------------------
  const SOLID = [`#version 300 es
    in vec3 point; in vec3 normal;
    uniform mat4 view; uniform vec3 place; uniform vec4 turn; uniform vec3 size;
    out vec3 n; out vec3 at; out vec3 local;
    vec3 turned(vec3 v) { return v + 2.0 * cross(turn.yzw, cross(turn.yzw, v) + turn.x * v); }
    void main() {
      local = point;
      at = place + turned(point * size);
      n = turned(normal / size);
      gl_Position = view * vec4(at, 1.0);
    }`, `#version 300 es
    precision highp float;
    in vec3 n; in vec3 at; in vec3 local;
    uniform vec3 eye; uniform vec3 back; uniform vec3 up; uniform vec3 right; uniform float flat_view;
    uniform vec3 color; uniform vec3 size; uniform int kind; uniform float ghost; uniform float glow;
    out vec4 result;
    void main() {
      vec3 N = normalize(n);
      vec3 V = flat_view > 0.5 ? back : normalize(eye - at);
      vec3 base = color;
      if (kind == 0) {
        vec3 away = (0.5 - abs(local)) * size;
        float nearest = min(min(max(away.x, away.y), max(away.y, away.z)), max(away.x, away.z));
        float w = fwidth(nearest);
        float seam = 0.012 * max(size.x, max(size.y, size.z));
        base *= mix(0.5, 1.0, smoothstep(seam - w, seam + w, nearest));
      }
      if (kind == 2) {
        float r = length(local.xy);
        float w = fwidth(r) + 1e-4;
        if (abs(local.z) > 0.499) {
          base *= mix(1.0, 0.6, smoothstep(0.93 - w, 0.93 + w, r));
          float across = abs(local.y);
          float v = fwidth(local.y) + 1e-4;
          float spoke = (1.0 - smoothstep(0.025 - v, 0.025 + v, across)) * step(0.0, local.x) * step(0.2, r);
          base *= mix(1.0, 0.45, spoke);
          float inside = 1.0 - smoothstep(0.16 - w, 0.16 + w, r);
          float quarter = local.x * local.y > 0.0 ? 0.08 : 0.95;
          base = mix(base, vec3(quarter), inside);
        }
      }
      vec3 sun = normalize(0.55 * up - 0.45 * right + 0.75 * back);
      vec3 fill = normalize(-0.4 * up + 0.8 * right + 0.3 * back);
      float key = max(dot(N, sun), 0.0);
      float soft = 0.5 + 0.5 * dot(N, up);
      vec3 light = vec3(0.20, 0.23, 0.29) + 0.16 * soft + 0.82 * key * vec3(1.0, 0.97, 0.92)
                 + 0.18 * max(dot(N, fill), 0.0) * vec3(0.6, 0.75, 1.0);
      float shine = pow(max(dot(N, normalize(sun + V)), 0.0), 48.0);
      float rim = pow(1.0 - abs(dot(N, V)), 3.0);
      vec3 lit = base * light + 0.22 * shine + 0.14 * rim * vec3(0.55, 0.7, 1.0);
      if (glow > 0.0) { result = vec4(mix(lit, color, 0.6), glow); return; }
      if (ghost > 0.0) { result = vec4(color * 0.9 + 0.1, ghost * (0.35 + 1.3 * rim)); return; }
      result = vec4(pow(lit, vec3(0.92)), 1.0);
    }`];

  const RIBBON = [`#version 300 es
    in vec3 point; in vec3 ahead; in float side; in float when;
    uniform mat4 view; uniform vec2 pixels; uniform float lift;
    out float moment;
    void main() {
      vec4 a = view * vec4(point + vec3(0.0, 0.0, lift), 1.0);
      vec4 b = view * vec4(ahead + vec3(0.0, 0.0, lift), 1.0);
      vec2 way = (b.xy / b.w - a.xy / a.w) * pixels;
      float far = length(way);
      vec2 across = far > 1e-4 ? vec2(-way.y, way.x) / far : vec2(0.0, 1.0);
      a.xy += side * 2.4 * across / pixels * a.w;
      moment = when;
      gl_Position = a;
    }`, `#version 300 es
    precision highp float;
    in float moment;
    uniform vec3 color; uniform float now; uniform float span;
    out vec4 result;
    void main() {
      float age = (now - moment) / max(span, 1e-9);
      float alpha = age < 0.0 ? 0.13 : 0.25 + 0.6 * exp(-3.0 * age);
      result = vec4(color, alpha);
    }`];

  const GRID = [`#version 300 es
    in vec3 point;
    uniform mat4 view; uniform vec3 middle; uniform float reach; uniform float height;
    out vec2 at; out vec2 off;
    void main() {
      vec3 p = vec3(middle.xy + reach * point.xy, height);
      at = p.xy; off = point.xy;
      gl_Position = view * vec4(p, 1.0);
    }`, `#version 300 es
    precision highp float;
    in vec2 at; in vec2 off;
    uniform float spacing;
    out vec4 result;
    float lines(float d) {
      vec2 u = at / d;
      vec2 w = fwidth(u);
      vec2 near = abs(fract(u - 0.5) - 0.5) / max(w, 1e-6);
      vec2 faint = 1.0 - smoothstep(0.25, 0.9, w);
      vec2 on = (1.0 - smoothstep(0.4, 1.4, near)) * faint;
      return max(on.x, on.y);
    }
    void main() {
      float fade = 1.0 - smoothstep(0.25, 1.0, length(off));
      float strength = max(0.16 * lines(spacing), 0.26 * lines(5.0 * spacing));
      result = vec4(0.55, 0.68, 0.88, strength * fade);
    }`];

  const SKY = [`#version 300 es
    in vec3 point; out vec2 at;
    void main() { at = point.xy; gl_Position = vec4(point.xy, 0.99999, 1.0); }`, `#version 300 es
    precision highp float;
    in vec2 at; uniform vec2 pixels; out vec4 result;
    float chance(vec2 p) { return fract(sin(dot(p, vec2(41.3, 289.1))) * 43758.5453); }
    void main() {
      vec3 deep = mix(vec3(0.028, 0.043, 0.075), vec3(0.065, 0.09, 0.14), smoothstep(-1.2, 1.3, at.y - 0.25 * at.x));
      vec2 cell = floor((at + 1.0) * pixels / 26.0);
      vec2 star = (cell + 0.2 + 0.6 * vec2(chance(cell), chance(cell + 7.7))) * 26.0;
      float far = length((at + 1.0) * pixels - star);
      float on = step(0.9, chance(cell + 3.1)) * (1.0 - smoothstep(0.3, 1.3, far)) * 0.4 * chance(cell + 1.9);
      result = vec4(deep + on, 1.0);
    }`];

  function webgl() {
    const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true, alpha: false });
    if (!gl) return null;

    function program([vertex, fragment]) {
      const made = gl.createProgram();
      for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
        const shader = gl.createShader(kind);
        gl.shaderSource(shader, text);
        gl.compileShader(shader);
        if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
        gl.attachShader(made, shader);
      }
      gl.linkProgram(made);
      if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
      const known = {};
      const uniform = (name) => (name in known ? known[name] : (known[name] = gl.getUniformLocation(made, name)));
      return { made, uniform };
    }

    // Vertices interleaved as given: layout is [[attribute, count], …].
    function geometry(shader, layout, values, mode, indices = null) {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
      const stride = layout.reduce((sum, [, count]) => sum + count, 0);
      let offset = 0;
      for (const [name, count] of layout) {
        const where = gl.getAttribLocation(shader.made, name);
        if (where >= 0) {
          gl.enableVertexAttribArray(where);
          gl.vertexAttribPointer(where, count, gl.FLOAT, false, 4 * stride, 4 * offset);
        }
        offset += count;
      }
      if (indices) {
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(indices), gl.STATIC_DRAW);
      }
      gl.bindVertexArray(null);
      const count = indices ? indices.length : values.length / stride;
      return () => {
        gl.bindVertexArray(array);
        if (indices) gl.drawElements(mode, count, gl.UNSIGNED_SHORT, 0);
        else gl.drawArrays(mode, 0, count);
      };
    }

    const solid = program(SOLID);
    const ribbon = program(RIBBON);
    const grid = program(GRID);
    const sky = program(SKY);
    const layout = [["point", 3], ["normal", 3]];
    const meshes = {};
    for (const [name, { values, indices }] of Object.entries(solids())) {
      meshes[name] = geometry(solid, layout, values, gl.TRIANGLES, indices);
    }
    const square = [-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0];
    const plane = geometry(grid, [["point", 3]], square, gl.TRIANGLE_STRIP);
    const backdrop = geometry(sky, [["point", 3]], square, gl.TRIANGLE_STRIP);
    const ways = Object.entries(trails).filter(([, points]) => points && times.length > 1).map(([name, points]) => {
      const values = [];
      times.forEach((time, k) => {
        const here = at(points, k);
        const end = k === times.length - 1;
        const next = end ? add(here, sub(here, at(points, k - 1))) : at(points, k + 1);
        for (const side of [-0.5, 0.5]) values.push(...here, ...next, side, time);
      });
      const form = [["point", 3], ["ahead", 3], ["side", 1], ["when", 1]];
      return { draw: geometry(ribbon, form, values, gl.TRIANGLE_STRIP), color: name === "tool" ? [0.5, 0.75, 1] : [1, 0.68, 0.32] };
    });
    const KINDS = { box: 0, sphere: 1, cylinder: 2, cone: 3 };

    function body(part, look) {
      gl.uniform3fv(solid.uniform("place"), part.p);
      gl.uniform4fv(solid.uniform("turn"), part.q);
      gl.uniform3fv(solid.uniform("size"), part.size.map((s) => Math.max(s, 1e-6)));
      gl.uniform3fv(solid.uniform("color"), part.color);
      gl.uniform1i(solid.uniform("kind"), part.shape === "cylinder" && !part.disk ? 4 : KINDS[part.shape]);
      gl.uniform1f(solid.uniform("ghost"), look.ghost || 0);
      gl.uniform1f(solid.uniform("glow"), look.glow || 0);
      meshes[part.shape]();
    }

    const ghosts = parts([0, 0]);
    const marks = arrow();

    function axes(now, ratio) {
      const side = Math.round(92 * ratio);
      gl.viewport(0, 0, side, side);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      const s = 0.022;
      gl.uniformMatrix4fv(solid.uniform("view"), false, [
        s * now.right[0], s * now.up[0], -0.01 * now.back[0], 0, s * now.right[1], s * now.up[1], -0.01 * now.back[1], 0,
        s * now.right[2], s * now.up[2], -0.01 * now.back[2], 0, -0.04, 0, 0, 1]);
      [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis) => {
        const q = takingZTo(axis);
        const color = axis.map((c) => 0.35 + 0.65 * c);
        body({ shape: "cylinder", p: scaled(axis, 12), q, size: [1.1, 1.1, 24], color }, {});
        body({ shape: "cone", p: scaled(axis, 22), q, size: [3, 3, 9], color }, {});
      });
    }

    function draw() {
      const ratio = Math.min(2, window.devicePixelRatio || 1);
      const wide = Math.max(1, Math.round(screen.clientWidth * ratio));
      const high = Math.max(1, Math.round(screen.clientHeight * ratio));
      if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
      const now = view();
      gl.viewport(0, 0, wide, high);
      gl.disable(gl.BLEND);
      gl.depthMask(true);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.disable(gl.DEPTH_TEST);
      gl.useProgram(sky.made);
      gl.uniform2f(sky.uniform("pixels"), screen.clientWidth / 2, screen.clientHeight / 2);
      backdrop();
      gl.enable(gl.DEPTH_TEST);

      gl.enable(gl.BLEND);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      gl.depthMask(false);
      gl.useProgram(grid.made);
      gl.uniformMatrix4fv(grid.uniform("view"), false, now.matrix);
      gl.uniform3fv(grid.uniform("middle"), now.middle);
      gl.uniform1f(grid.uniform("reach"), 5 * radius);
      gl.uniform1f(grid.uniform("height"), data.planar ? -0.25 * start.size : whole.low[2] - 0.15 * radius);
      gl.uniform1f(grid.uniform("spacing"), spacing);
      plane();
      gl.depthMask(true);
      gl.disable(gl.BLEND);

      gl.useProgram(solid.made);
      gl.uniformMatrix4fv(solid.uniform("view"), false, now.matrix);
      for (const name of ["eye", "back", "up", "right"]) gl.uniform3fv(solid.uniform(name), now[name]);
      gl.uniform1f(solid.uniform("flat_view"), data.planar ? 1 : 0);
      for (const part of parts(now.place)) body(part, {});

      gl.enable(gl.BLEND);
      gl.depthMask(false);
      gl.useProgram(ribbon.made);
      gl.uniformMatrix4fv(ribbon.uniform("view"), false, now.matrix);
      gl.uniform2f(ribbon.uniform("pixels"), screen.clientWidth / 2, screen.clientHeight / 2);
      gl.uniform1f(ribbon.uniform("lift"), data.planar ? 3 * hubSize : 0);
      gl.uniform1f(ribbon.uniform("now"), percuss.state.time);
      gl.uniform1f(ribbon.uniform("span"), last - first);
      for (const way of ways) {
        gl.uniform3fv(ribbon.uniform("color"), way.color);
        way.draw();
      }

      gl.useProgram(solid.made);
      if (percuss.state.time > first) for (const part of ghosts) body(part, { ghost: 0.22 });
      const strength = glow(percuss.state.time);
      gl.disable(gl.DEPTH_TEST);
      if (strength > 0) for (const part of marks) body(part, { glow: Math.max(0.02, strength) });
      gl.enable(gl.DEPTH_TEST);
      gl.disable(gl.BLEND);
      gl.depthMask(true);
      axes(now, ratio);
      labels(now);
    }

    // Pixels that are brighter than the sky: nothing lit means that nothing was drawn.
    function lit() {
      const pixels = new Uint8Array(4 * canvas.width * canvas.height);
      gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      let count = 0;
      for (let k = 0; k < pixels.length; k += 4) if (Math.max(pixels[k], pixels[k + 1], pixels[k + 2]) > 110) count++;
      return count;
    }

    return { draw, lit, name: "webgl" };
  }

  // Unit solids: box of edge 1, sphere and cylinder of radius 1 (length 1 along z), cone likewise.
  function solids() {
    const box = { values: [], indices: [] };
    for (let axis = 0; axis < 3; axis++) {
      for (const side of [-1, 1]) {
        const from = box.values.length / 6;
        for (const [u, v] of [[-1, -1], [1, -1], [-1, 1], [1, 1]]) {
          const point = [0, 0, 0];
          point[axis] = side / 2;
          point[(axis + 1) % 3] = u / 2;
          point[(axis + 2) % 3] = v / 2;
          const normal = [0, 0, 0];
          normal[axis] = side;
          box.values.push(...point, ...normal);
        }
        box.indices.push(from, from + 1, from + 2, from + 2, from + 1, from + 3);
      }
    }
    // Rings of (radius, height, normal out, normal up) from one end to the other.
    function turned(rings) {
      const count = 64;
      const mesh = { values: [], indices: [] };
      for (const [r, z, out, up] of rings) {
        for (let k = 0; k <= count; k++) {
          const c = Math.cos((2 * Math.PI * k) / count);
          const s = Math.sin((2 * Math.PI * k) / count);
          mesh.values.push(r * c, r * s, z, out * c, out * s, up);
        }
      }
      for (let n = 0; n + 1 < rings.length; n++) {
        for (let k = 0; k < count; k++) {
          const a = n * (count + 1) + k;
          const b = a + count + 1;
          mesh.indices.push(a, a + 1, b, b, a + 1, b + 1);
        }
      }
      return mesh;
    }
    const arc = Array.from({ length: 33 }, (_, k) => (Math.PI * k) / 32 - Math.PI / 2);
    return {
      box,
      sphere: turned(arc.map((a) => [Math.cos(a), Math.sin(a), Math.cos(a), Math.sin(a)])),
      cylinder: turned([[0, -0.5, 0, -1], [1, -0.5, 0, -1], [1, -0.5, 1, 0], [1, 0.5, 1, 0], [1, 0.5, 0, 1], [0, 0.5, 0, 1]]),
      cone: turned([[0, 0, 0, -1], [1, 0, 0, -1], [1, 0, 0.8, 0.6], [0, 1, 0.8, 0.6]]),
    };
  }

  // --- a plain canvas ------------------------------------------------------------------------
  function plain() {
    const pen = canvas.getContext("2d");
    if (!pen) return null;

    function polyline(matrix, points, close) {
      pen.beginPath();
      points.forEach((p, k) => pen[k ? "lineTo" : "moveTo"](...onScreen(matrix, p)));
      if (close) pen.closePath();
    }

    // Rings and edges that show a part.
    function wires(part) {
      const corner = (v) => add(part.p, turn(part.q, [v[0] * part.size[0], v[1] * part.size[1], v[2] * part.size[2]]));
      const ring = (z, r) => Array.from({ length: 33 }, (_, k) => corner([r * Math.cos((k * Math.PI) / 16), r * Math.sin((k * Math.PI) / 16), z]));
      if (part.shape === "box") {
        const face = (z) => [[-0.5, -0.5, z], [0.5, -0.5, z], [0.5, 0.5, z], [-0.5, 0.5, z]].map(corner);
        return [face(-0.5), face(0.5), ...[0, 1, 2, 3].map((k) => [face(-0.5)[k], face(0.5)[k]])];
      }
      if (part.shape === "sphere") return [ring(0, 1)];
      if (part.shape === "cone") return [ring(0, 1), [corner([1, 0, 0]), corner([0, 0, 1]), corner([-1, 0, 0])]];
      const spoke = part.disk ? [[corner([0, 0, 0.5]), corner([1, 0, 0.5])]] : [];
      const sides = [[1, 0], [-1, 0], [0, 1], [0, -1]].map(([c, s]) => [corner([c, s, -0.5]), corner([c, s, 0.5])]);
      return [ring(-0.5, 1), ring(0.5, 1), ...sides, ...spoke];
    }

    const css = (c, a) => `rgba(${c.map((v) => Math.round(255 * v)).join(",")},${a})`;

    function draw() {
      const ratio = Math.min(2, window.devicePixelRatio || 1);
      Object.assign(canvas, { width: Math.max(1, Math.round(screen.clientWidth * ratio)), height: Math.max(1, Math.round(screen.clientHeight * ratio)) });
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.fillStyle = "#0a0f18";
      pen.fillRect(0, 0, screen.clientWidth, screen.clientHeight);
      pen.lineJoin = "round";
      const now = view();
      for (const [name, points] of Object.entries(trails)) {
        if (!points) continue;
        polyline(now.matrix, times.map((_, k) => at(points, k)), false);
        pen.strokeStyle = name === "tool" ? "rgba(128,190,255,.5)" : "rgba(255,174,82,.5)";
        pen.lineWidth = 1.5;
        pen.stroke();
      }
      const strength = glow(percuss.state.time);
      const layers = [[parts([0, 0]), 0.25, false], [parts(now.place), 1, true], [strength > 0 ? arrow() : [], strength, true]];
      for (const [found, alpha, fills] of layers) {
        for (const part of found) {
          for (const wire of wires(part)) {
            polyline(now.matrix, wire, wire.length > 2);
            pen.fillStyle = css(part.color, 0.22 * alpha);
            if (fills && wire.length > 2) pen.fill();
            pen.strokeStyle = css(part.color, alpha);
            pen.lineWidth = 1.3;
            pen.stroke();
          }
        }
      }
      [["#ff7b72", 0], ["#6fdc8c", 1], ["#79b8ff", 2]].forEach(([color, i]) => {
        pen.strokeStyle = color;
        pen.beginPath();
        pen.moveTo(44, screen.clientHeight - 46);
        pen.lineTo(44 + 30 * now.right[i], screen.clientHeight - 46 - 30 * now.up[i]);
        pen.stroke();
      });
      labels(now);
    }

    function lit() {
      const pixels = pen.getImageData(0, 0, canvas.width, canvas.height).data;
      let count = 0;
      for (let k = 0; k < pixels.length; k += 4) if (Math.max(pixels[k], pixels[k + 1], pixels[k + 2]) > 110) count++;
      return count;
    }

    return { draw, lit, name: "canvas" };
  }

  // --- hands ---------------------------------------------------------------------------------
  let waiting = false;
  let renderer = null;
  let visible = true;
  function redraw() {
    if (waiting || !renderer || !visible) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      renderer.draw();
    });
  }

  function zoom(factor) {
    camera.distance = Math.min(60 * whole.size, Math.max(0.05 * start.size, camera.distance * factor));
    redraw();
  }

  function pan(dx, dy) {
    const { right, up } = basis();
    const metres = (2 * camera.distance * FIELD) / (screen.clientHeight || 1);
    camera.center = add(camera.center, add(scaled(right, -dx * metres), scaled(up, dy * metres)));
    redraw();
  }

  function orbit(dx, dy) {
    camera.azimuth -= 0.008 * dx;
    camera.elevation = Math.min(Math.PI / 2 - 1e-4, Math.max(1e-4 - Math.PI / 2, camera.elevation + 0.008 * dy));
    redraw();
  }

  function hands() {
    const fingers = new Map();
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    canvas.addEventListener("pointermove", (event) => {
      const old = fingers.get(event.pointerId);
      if (!old) return;
      const now = [event.clientX, event.clientY];
      if (fingers.size === 1) {
        const shift = event.shiftKey || (event.buttons & 6) !== 0;
        (shift ? pan : orbit)(now[0] - old[0], now[1] - old[1]);
      } else if (fingers.size === 2) {
        const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
        const apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        pan((now[0] - old[0]) / 2, (now[1] - old[1]) / 2);
        zoom(apart(old) / apart(now));
      }
      fingers.set(event.pointerId, now);
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => fingers.delete(event.pointerId));
    // The wheel scrolls the page until the view has been clicked.
    canvas.addEventListener("wheel", (event) => {
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      zoom(Math.exp(0.0012 * event.deltaY));
    }, { passive: false });
    find("reset").addEventListener("click", reset);
    find("follow").addEventListener("click", (event) => {
      camera.follow = !camera.follow;
      event.currentTarget.setAttribute("aria-pressed", String(camera.follow));
      redraw();
    });
  }

  function tell(text) {
    Object.assign(find("message"), { textContent: text, hidden: false });
  }

  function begin() {
    if (!tracks.length) {
      tell("This record has no bodies to draw.");
      screen.dataset.drawn = "nothing";
      percuss.start();
      return;
    }
    let reason = "This browser has no WebGL 2";
    try {
      renderer = webgl();
    } catch (error) {
      reason = `WebGL failed here (${error.message.trim().slice(0, 120)})`;
      // A canvas keeps the kind of its first context: the plain one needs a fresh canvas.
      const fresh = canvas.cloneNode();
      canvas.replaceWith(fresh);
      canvas = fresh;
    }
    if (!renderer) {
      renderer = plain();
      tell(renderer ? `${reason}: the bodies are drawn as lines.` : `${reason}, and no canvas either: there is no animation.`);
    }
    if (!renderer) {
      screen.dataset.drawn = "nothing";
      percuss.start();
      return;
    }
    canvas.addEventListener("webglcontextlost", () => tell("The browser took the graphics away: reload the page to see the animation again."));
    hands();
    reset();
    percuss.listen(redraw);
    let framed = `${screen.clientWidth}×${screen.clientHeight}`;
    new ResizeObserver(() => {
      const now = `${screen.clientWidth}×${screen.clientHeight}`;
      if (now === framed) return;
      framed = now;
      frame();
      renderer.draw();
    }).observe(screen);
    new IntersectionObserver((entries) => {
      visible = entries[entries.length - 1].isIntersecting;
      redraw();
    }).observe(screen);
    percuss.start();
    renderer.draw();
    screen.dataset.drawn = renderer.name;
    screen.dataset.parts = parts([0, 0]).length;
    screen.dataset.lit = renderer.lit();
  }

  begin();
})();

// Vectors, quaternions (w, x, y, z), matrices by column, and unit solids.

(() => {
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

  percuss.vectors = { add, sub, scaled, dot, cross, length, unit, mix, turn, times4, takingZTo, product, solids };
})();

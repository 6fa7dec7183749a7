// The picture by lines on a plain canvas, where there is no WebGL.

(() => {
  const { data, times, state } = percuss;
  const { add, turn } = percuss.vectors;
  const { trails, at, parts } = percuss.bodies;
  const { drawn: marked } = percuss.marks;
  const { screen, view, onScreen, labels } = percuss.camera;

  function plain(canvas) {
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
      const now = view(canvas);
      for (const [name, points] of Object.entries(trails)) {
        if (!points) continue;
        polyline(now.matrix, times.map((_, k) => at(points, k)), false);
        pen.strokeStyle = name === "tool" ? "rgba(128,190,255,.5)" : "rgba(255,174,82,.5)";
        pen.lineWidth = 1.5;
        pen.stroke();
      }
      const { sample, time: ghostTime } = data.scene.ghost;
      const layers = [[state.time > ghostTime ? parts([sample, 0]) : [], 0.25, false], [parts(now.place), 1, true]];
      for (const { part, strength } of marked(now.place)) layers.push([[part], strength, true]);
      for (const [found, alpha, fills] of layers) {
        for (const part of found) {
          for (const wire of wires(part)) {
            polyline(now.matrix, wire, wire.length > 2);
            pen.fillStyle = css(part.color, 0.22 * alpha * part.opacity);
            if (fills && wire.length > 2) pen.fill();
            pen.strokeStyle = css(part.color, alpha * part.opacity);
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

  percuss.plain = plain;
})();

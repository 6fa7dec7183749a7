// The picture by WebGL 2.

(() => {
  const { data, times, state } = percuss;
  const { add, sub, scaled, length, takingZTo, solids } = percuss.vectors;
  const { trails, at, start, whole, radius, hubSize, parts } = percuss.bodies;
  const { drawn: marked } = percuss.marks;
  const { screen, spacing, view, labels } = percuss.camera;
  const { SOLID, RIBBON, GRID, SKY } = percuss.shaders;

  // Null where the browser has none; an error where it fails.
  function webgl(canvas) {
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
        // Ahead is where the point has visibly moved on: samples may be a rounding apart.
        let n = k + 1;
        while (n < times.length && length(sub(at(points, n), here)) < 1e-4 * radius) n++;
        const next = n < times.length ? at(points, n) : add(here, sub(here, at(points, Math.max(0, k - 1))));
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
      gl.uniform1f(solid.uniform("opacity"), look.opacity || 1);
      gl.uniform1f(solid.uniform("ghost"), look.ghost || 0);
      gl.uniform1f(solid.uniform("glow"), look.glow || 0);
      meshes[part.shape]();
    }

    const { sample, time: ghostTime } = data.scene.ghost;
    const ghosts = parts([sample, 0]);

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
      const now = view(canvas);
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
      const drawn = parts(now.place);
      for (const part of drawn) if (part.opacity === 1) body(part, {});

      gl.enable(gl.BLEND);
      gl.depthMask(false);
      for (const part of drawn) if (part.opacity < 1) body(part, { opacity: part.opacity });
      gl.useProgram(ribbon.made);
      gl.uniformMatrix4fv(ribbon.uniform("view"), false, now.matrix);
      gl.uniform2f(ribbon.uniform("pixels"), screen.clientWidth / 2, screen.clientHeight / 2);
      gl.uniform1f(ribbon.uniform("lift"), data.planar ? 3 * hubSize : 0);
      gl.uniform1f(ribbon.uniform("now"), state.time);
      gl.uniform1f(ribbon.uniform("span"), state.to - state.from);
      for (const way of ways) {
        gl.uniform3fv(ribbon.uniform("color"), way.color);
        way.draw();
      }

      gl.useProgram(solid.made);
      if (state.time > ghostTime) for (const part of ghosts) body(part, { ghost: 0.22 });
      gl.disable(gl.DEPTH_TEST);
      for (const { part, strength } of marked(now.place)) body(part, { glow: strength });
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

  percuss.webgl = webgl;
})();

// The animation: hands on the camera, and a renderer that draws when something changed.

(() => {
  const { find } = percuss;
  const { add, scaled } = percuss.vectors;
  const { tracks, start, whole, parts } = percuss.bodies;
  const { state: camera, screen, FIELD, basis, frame, reset } = percuss.camera;
  let canvas = find("scene");

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
    find("reset").addEventListener("click", () => {
      reset();
      redraw();
    });
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
      renderer = percuss.webgl(canvas);
    } catch (error) {
      reason = `WebGL failed here (${error.message.trim().slice(0, 120)})`;
      // A canvas keeps the kind of its first context: the plain one needs a fresh canvas.
      const fresh = canvas.cloneNode();
      canvas.replaceWith(fresh);
      canvas = fresh;
    }
    if (!renderer) {
      renderer = percuss.plain(canvas);
      tell(renderer ? `${reason}: the bodies are drawn as lines.` : `${reason}, and no canvas either: there is no animation.`);
    }
    if (!renderer) {
      screen.dataset.drawn = "nothing";
      percuss.start();
      return;
    }
    canvas.addEventListener("webglcontextlost", () => tell("The browser took the graphics away: reload the page to see the animation again."));
    if (!tracks.some((track) => track.owner === "target")) find("legend-target").hidden = true;
    hands();
    reset();
    percuss.listen(redraw);
    percuss.watch(() => {
      frame();
      redraw();
    });
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

// Phases and impacts over the play bar: where the run is, where to go, what to look at closely.

(() => {
  const { data, first, last, still, state, find } = percuss;
  const { phases, ticks, windows } = data.timeline;

  // The phase that holds a time; at a border the later one. Null where the run has none.
  function phaseAt(time) {
    let found = null;
    for (const phase of phases) if (phase.begin <= time) found = phase;
    return found || phases[0] || null;
  }

  // Phases in view as shares of it: [phase, left, right].
  function shares() {
    const span = state.to - state.from;
    return phases
      .map((phase) => [phase, Math.max(0, (phase.begin - state.from) / span), Math.min(1, (phase.end - state.from) / span)])
      .filter(([phase, left, right]) => right >= left && phase.end >= state.from && phase.begin <= state.to);
  }

  percuss.phases = { list: phases, ticks, phaseAt, shares, kind: (phase) => `phase-${phase.name.replace(/[^a-z]/g, "")}` };
  for (const row of document.querySelectorAll("[data-seek]")) {
    row.addEventListener("click", () => percuss.jump(Number(row.dataset.seek)));
    row.addEventListener("keydown", (event) => { if (event.key === "Enter") row.click(); });
  }
  if (still || (!phases.length && !ticks.length)) return;

  const strip = find("strip");
  const jumps = find("jumps");
  const isWhole = () => state.from === first && state.to === last;
  const isIn = (a, b) => state.from === Math.max(first, a) && state.to === Math.min(last, b);

  function button(text, title, act, parent, kind = "") {
    const made = Object.assign(document.createElement("button"), { type: "button", textContent: text, title, className: kind });
    made.addEventListener("click", act);
    parent.appendChild(made);
    return made;
  }

  function drawStrip() {
    strip.replaceChildren();
    for (const [phase, left, right] of shares()) {
      const words = `${phase.name}: ${percuss.clock(phase.begin)} to ${percuss.clock(phase.end)}`;
      const alone = isIn(phase.begin, phase.end);
      const act = () => (alone || !(phase.end > phase.begin) ? percuss.look() : percuss.look(phase.begin, phase.end));
      const made = button(phase.name, `${words}; click to look at ${alone ? "the whole run" : "this alone"}`, act, strip, `segment ${percuss.phases.kind(phase)}`);
      made.style.left = `${100 * left}%`;
      made.style.width = `max(2px, ${100 * (right - left)}% - 1px)`;
      made.tabIndex = -1;
    }
    for (const tick of ticks) {
      const share = (tick.time - state.from) / (state.to - state.from);
      if (share < 0 || share > 1) continue;
      button("", tick.text, () => percuss.jump(tick.time), strip, `tick ${tick.kind}`).style.left = `${100 * share}%`;
    }
    // Names that do not fit stay in the tips.
    for (const segment of strip.querySelectorAll(".segment")) if (segment.scrollWidth > segment.clientWidth + 1) segment.textContent = "";
  }

  let turn = -1; // which contact is looked at
  const whole = button("whole run", "Look at the whole run", () => percuss.look(), jumps);
  const contact = windows.length ? button("", "Look at the contact alone (key c)", closer, jumps) : null;

  // The next contact; after the last one the whole run again.
  function closer() {
    turn = isWhole() ? 0 : turn + 1;
    if (turn >= windows.length) {
      turn = -1;
      percuss.look();
      return;
    }
    percuss.look(...windows[turn]);
    percuss.seek(state.from);
  }

  for (const tick of ticks.slice(0, 8)) button(tick.text.replace(" at ", " · "), `Go to ${tick.text}`, () => percuss.jump(tick.time), jumps, `jump ${tick.kind}`);

  function drawJumps() {
    whole.setAttribute("aria-pressed", String(isWhole()));
    whole.hidden = !contact && isWhole();
    if (!contact) return;
    const shown = windows.findIndex(([a, b]) => isIn(a, b));
    if (shown >= 0) turn = shown;
    contact.setAttribute("aria-pressed", String(shown >= 0));
    const name = ticks.length && ticks[0].kind === "closest" ? "closest approach" : "contact";
    contact.textContent = windows.length > 1 ? `${name} ${shown >= 0 ? shown + 1 : 1} of ${windows.length}` : name;
  }

  strip.hidden = jumps.hidden = false;
  find("transport").classList.add("divided");
  find("when").hidden = !phases.length;
  percuss.watch(() => {
    drawStrip();
    drawJumps();
  });
  percuss.listen((time) => {
    const phase = phaseAt(time);
    if (!phase) return;
    find("when-time").textContent = percuss.clock(time);
    const name = find("when-phase");
    name.textContent = phase.name;
    name.className = percuss.phases.kind(phase);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "c" && contact && !event.ctrlKey && !event.metaKey && !event.altKey && event.target.tagName !== "SELECT") closer();
  });
  new ResizeObserver(drawStrip).observe(strip);
  drawStrip();
  drawJumps();

  // A link may ask for a closer look: #contact, #contact=2 or #from=12&to=13.
  const asked = /[#&]contact(?:=(\d+))?/.exec(location.hash);
  const between = /[#&]from=([-+0-9.eE]+)&to=([-+0-9.eE]+)/.exec(location.hash);
  if (asked && windows[(asked[1] || 1) - 1]) percuss.opening = windows[(asked[1] || 1) - 1];
  else if (between) percuss.opening = [Number(between[1]), Number(between[2])];
})();

// Charts as SVG: they share the player's cursor, a click in one seeks, keys switch curves.

(() => {
  const { data, times, first, still, state, find, number, raised, clock } = percuss;
  const { ticks, tickLabels, range, logRange } = percuss.axes;
  const { list: phases, ticks: impacts, shares, kind } = percuss.phases;
  const SVG = "http://www.w3.org/2000/svg";
  // Phases have a strip of their own above the curves.
  const STRIP = phases.length && !still ? 13 : 0;
  const HEIGHT = 178 + STRIP;
  const MARGIN = { left: 50, right: 10, top: 8 + STRIP, bottom: 22 };

  function element(name, attributes = {}, parent = null) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (parent) parent.appendChild(node);
    return node;
  }

  function html(name, properties = {}, parent = null) {
    const node = Object.assign(document.createElement(name), properties);
    if (parent) parent.appendChild(node);
    return node;
  }

  function build(chart, parent) {
    const shown = chart.labels.map(() => true);
    const figure = html("figure", { className: "chart" }, parent);
    figure.style.margin = "0";
    const header = html("header", {}, figure);
    html("h3", { textContent: chart.title }, header);
    const unit = html("span", { className: "unit", textContent: chart.unit }, header);
    const at = html("span", { className: "at" }, header);
    html("p", { className: "note", textContent: chart.note }, figure);
    const svg = element("svg", { height: HEIGHT, role: "img" }, figure);
    svg.setAttribute("aria-label", `${chart.title}, ${chart.unit}`);
    // Readings over powers of ten are wide; words beside them need room.
    const keys = html("div", { className: chart.log ? "keys wide" : "keys" }, figure);
    const color = (k) => `var(--s${k % 8})`;
    const values = chart.labels.map((label, k) => {
      const key = html("button", { type: "button" }, keys);
      key.setAttribute("aria-pressed", "true");
      html("i", {}, key).style.background = color(k);
      const words = html("span", {}, key);
      // Long names may break after _ and . only.
      for (const piece of (label || chart.title.toLowerCase()).split(/(?<=[_.])/)) {
        words.append(piece, document.createElement("wbr"));
      }
      const value = html("b", {}, key);
      key.addEventListener("click", () => {
        shown[k] = !shown[k];
        key.setAttribute("aria-pressed", String(shown[k]));
        draw();
      });
      return value;
    });

    let width = 0;
    let cursor = null;
    let hover = null;
    let hovered = null;
    let reading = number;
    const inner = () => Math.max(1, width - MARGIN.left - MARGIN.right);
    const x = (time) => MARGIN.left + (still ? 0.5 : (time - state.from) / (state.to - state.from)) * inner();
    const timeAt = (px) => state.from + Math.min(1, Math.max(0, (px - MARGIN.left) / inner())) * (state.to - state.from);

    // Phases as a strip above the curves, faint bands behind them and lines between them.
    function bands() {
      if (!STRIP) return;
      const bottom = HEIGHT - MARGIN.bottom;
      shares().forEach(([phase, left, right], n) => {
        const [from, to] = [MARGIN.left + left * inner(), MARGIN.left + right * inner()];
        const wide = Math.max(phase.name === "contact" ? 1.5 : 0.5, to - from);
        const group = element("g", { class: `phase ${kind(phase)}` }, svg);
        element("title", {}, group).textContent = `${phase.name}: ${clock(phase.begin)} to ${clock(phase.end)}`;
        element("rect", { x: from, y: 4, width: wide, height: STRIP - 1, class: "label" }, group);
        element("rect", { x: from, y: MARGIN.top, width: wide, height: bottom - MARGIN.top, class: "band" }, group);
        if (left > 0 && n > 0) element("line", { x1: from, x2: from, y1: 4, y2: bottom, class: "border" }, group);
        if (to - from > 5.6 * phase.name.length + 4) {
          const name = element("text", { x: (from + to) / 2, y: 4 + STRIP - 4, "text-anchor": "middle" }, group);
          name.textContent = phase.name;
        }
      });
      for (const { time, text } of impacts) {
        if (time < state.from || time > state.to) continue;
        const at = x(time);
        const mark = element("path", { d: `M${at - 3.5} 1L${at + 3.5} 1L${at} 7Z`, class: "impact" }, svg);
        element("title", {}, mark).textContent = text;
      }
    }

    // The part of a curve that is looked at: its samples in view, with the ends between samples.
    function inView(curve) {
      if (still) return [[first, curve[0]]];
      const ends = [state.from, state.to].map((time) => [time, valueAt(curve, time)]);
      const [k] = percuss.locate(state.from);
      const found = [ends[0]];
      for (let n = k; n < times.length && times[n] <= state.to; n++) if (times[n] >= state.from) found.push([times[n], curve[n]]);
      found.push(ends[1]);
      return found;
    }

    function valueAt(curve, time) {
      const [k, fraction] = percuss.locate(time);
      if (still || fraction === 0) return curve[k];
      const [from, to] = [curve[k], curve[k + 1]];
      return from === null || to === null ? null : from + fraction * (to - from);
    }

    // Times are read as they are: never over a power of ten, with the decimals that they need.
    function timeLabels({ values: shown, step }) {
      const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
      return shown.map((time) => time.toFixed(decimals).replace(/^-(0\.?0*)$/, "$1").replace("-", "−"));
    }

    function axes(y, labelled, power) {
      const bottom = HEIGHT - MARGIN.bottom;
      for (const { at: value, text, zero } of labelled) {
        const line = { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value) };
        element("line", { ...line, class: zero ? "zero" : "gridline" }, svg);
        const label = element("text", { x: MARGIN.left - 6, y: y(value) + 4, "text-anchor": "end" }, svg);
        label.textContent = text;
      }
      const span = still ? { step: 1, values: [first] } : ticks(state.from, state.to, Math.max(2, Math.floor(inner() / 70)));
      const labels = timeLabels(span);
      span.values.forEach((time, k) => {
        element("line", { x1: x(time), x2: x(time), y1: MARGIN.top, y2: bottom, class: "gridline" }, svg);
        const label = element("text", { x: x(time), y: bottom + 15, "text-anchor": "middle" }, svg);
        label.textContent = k === span.values.length - 1 ? `${labels[k]} s` : labels[k];
      });
      unit.textContent = power ? `${chart.unit} × 10${raised(power)}` : chart.unit;
    }

    function draw() {
      svg.replaceChildren();
      if (!width) return;
      svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
      const curves = chart.values.map(inView);
      const visible = curves.filter((_, k) => shown[k]).map((curve) => curve.map(([, value]) => value));
      bands();
      const [low, high] = chart.log ? logRange(visible) : range(visible);
      // Readings to a thousandth of the axis: they stay short and do not flicker.
      const decimals = 3 - Math.floor(Math.log10(high - low));
      const short = (v) => (v === null ? "–" : v.toFixed(Math.max(0, decimals)).replace(/^-(0\.?0*)$/, "$1").replace("-", "−"));
      reading = chart.log || decimals > 6 ? (v) => number(v, 3) : short;
      const plain = (v) => MARGIN.top + ((high - v) / (high - low)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
      const y = chart.log ? (v) => plain(v > 0 ? Math.max(low, Math.log10(v)) : low) : plain;
      if (chart.log) {
        const { values: exponents } = ticks(low, high, 5);
        const whole = exponents.filter((e) => Number.isInteger(Math.round(e * 1e6) / 1e6));
        axes(plain, whole.map((e) => ({ at: e, text: `10${raised(Math.round(e))}`, zero: false })), 0);
      } else {
        const { step, values: marks } = ticks(low, high, 5);
        const { power, labels } = tickLabels(marks, step);
        axes(y, marks.map((v, k) => ({ at: v, text: labels[k], zero: Math.abs(v) < 1e-9 * step })), power);
      }
      curves.forEach((curve, k) => {
        if (!shown[k]) return;
        let path = "";
        let pen = false;
        for (const [time, value] of curve) {
          if (value !== null) path += `${pen ? "L" : "M"}${x(time).toFixed(1)} ${y(value).toFixed(2)}`;
          pen = value !== null;
        }
        if (still && path) {
          element("circle", { cx: x(first), cy: y(curve[0][1]), r: 4, style: `fill:${color(k)}` }, svg);
        } else {
          const dash = k < 8 ? {} : { "stroke-dasharray": "5 3" };
          element("path", { d: path, class: "curve", style: `stroke:${color(k)}`, ...dash }, svg);
        }
      });
      const line = { y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom, x1: 0, x2: 0 };
      hover = element("line", { ...line, class: "hover", visibility: "hidden" }, svg);
      cursor = element("line", { ...line, class: "cursor" }, svg);
      read();
    }

    // Cursors always move; readings, which cost more, wait until the chart is in view.
    let onScreen = true;
    function read() {
      if (!cursor) return;
      cursor.setAttribute("transform", `translate(${x(percuss.state.time)} 0)`);
      if (!onScreen) return;
      hover.setAttribute("visibility", hovered === null ? "hidden" : "visible");
      if (hovered !== null) hover.setAttribute("transform", `translate(${x(hovered)} 0)`);
      const time = hovered === null ? percuss.state.time : hovered;
      at.textContent = `at ${clock(time)}`;
      chart.values.forEach((curve, n) => {
        const value = valueAt(curve, time);
        values[n].textContent = reading(value);
        values[n].parentElement.title = `${chart.labels[n]}: ${number(value, 7)} ${chart.log ? "" : chart.unit} at ${clock(time)}`;
      });
    }

    let seeking = false;
    const local = (event) => timeAt(event.clientX - svg.getBoundingClientRect().left);
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      seeking = true;
      svg.setPointerCapture(event.pointerId);
      percuss.play(false);
      percuss.seek(local(event));
    });
    svg.addEventListener("pointermove", (event) => {
      hovered = local(event);
      if (seeking) percuss.seek(hovered);
      else read();
    });
    svg.addEventListener("pointerup", () => { seeking = false; });
    svg.addEventListener("pointercancel", () => { seeking = false; });
    svg.addEventListener("pointerleave", () => {
      hovered = null;
      read();
    });
    function measure() {
      const now = Math.round(svg.getBoundingClientRect().width);
      if (now !== width) {
        width = now;
        draw();
      }
    }
    new ResizeObserver(measure).observe(svg);

    new IntersectionObserver((entries) => {
      onScreen = entries[entries.length - 1].isIntersecting;
      if (onScreen) read();
    }).observe(figure);
    percuss.listen(read);
    percuss.watch(draw);
    return measure;
  }

  const place = find("charts");
  let group = null;
  const built = data.charts.map((chart) => {
    if (chart.group !== group) html("h2", { textContent: chart.group }, place);
    group = chart.group;
    return build(chart, place);
  });
  for (const measure of built) measure();
  place.dataset.drawn = data.charts.length;
})();

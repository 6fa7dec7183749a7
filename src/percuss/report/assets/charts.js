// Charts as SVG: they share the player's cursor, a click in one seeks, keys switch curves.

(() => {
  const { data, times, first, last, still, find, number, raised, clock } = percuss;
  const SVG = "http://www.w3.org/2000/svg";
  const HEIGHT = 178;
  const NOISE = 1e-12; // in SI units nothing on this page is meant to be that small but zero
  const MARGIN = { left: 50, right: 10, top: 8, bottom: 22 };

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

  // A round step near the wanted one: 1, 2 or 5 times a power of ten.
  function niceStep(wanted) {
    const power = 10 ** Math.floor(Math.log10(wanted));
    const ratio = wanted / power;
    return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
  }

  function ticks(low, high, count) {
    const step = niceStep((high - low) / count);
    const from = Math.ceil(low / step - 1e-9);
    const to = Math.floor(high / step + 1e-9);
    return { step, values: Array.from({ length: to - from + 1 }, (_, k) => (from + k) * step) };
  }

  // Labels of ticks with as many decimals as the step needs, over a common power of ten.
  function tickLabels(values, step) {
    const largest = Math.max(...values.map(Math.abs), step);
    let power = Math.floor(Math.log10(largest) + 1e-9);
    power = power >= 5 || power < -2 ? power : 0;
    const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / 10 ** power) + 1e-9)));
    const text = (v) => (v / 10 ** power).toFixed(decimals).replace(/^-(0\.?0*)$/, "$1").replace("-", "−");
    return { power, labels: values.map(text) };
  }

  function range(curves) {
    let low = Infinity;
    let high = -Infinity;
    for (const curve of curves) {
      for (const value of curve) {
        if (value === null) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (low > high || size < NOISE) return [-1, 1];
    // What varies by rounding only is drawn as constant: its drift has a chart of its own.
    if (high - low <= 1e-7 * size || high === low) {
      const room = size > 0 ? 0.1 * size : 1;
      return [low - room, high + room];
    }
    const room = 0.06 * (high - low);
    return [low - room, high + room];
  }

  function logRange(curves) {
    let low = Infinity;
    let high = -Infinity;
    for (const curve of curves) {
      for (const value of curve) {
        if (value === null || value <= 0) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (low > high) return [-16, -8];
    const top = Math.ceil(Math.log10(high) + 0.05);
    return [Math.min(top - 2, Math.max(top - 12, Math.floor(Math.log10(low)))), top];
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
    const keys = html("div", { className: "keys" }, figure);
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
    const x = (time) => MARGIN.left + (still ? 0.5 : (time - first) / (last - first)) * inner();
    const timeAt = (px) => first + Math.min(1, Math.max(0, (px - MARGIN.left) / inner())) * (last - first);

    function axes(y, labelled, power) {
      const bottom = HEIGHT - MARGIN.bottom;
      for (const { at: value, text, zero } of labelled) {
        const line = { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value) };
        element("line", { ...line, class: zero ? "zero" : "gridline" }, svg);
        const label = element("text", { x: MARGIN.left - 6, y: y(value) + 4, "text-anchor": "end" }, svg);
        label.textContent = text;
      }
      const span = still ? { step: 1, values: [first] } : ticks(first, last, Math.max(2, Math.floor(inner() / 70)));
      const { labels } = tickLabels(span.values, span.step);
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
      const visible = chart.values.filter((_, k) => shown[k]);
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
      chart.values.forEach((curve, k) => {
        if (!shown[k]) return;
        let path = "";
        let pen = false;
        curve.forEach((value, n) => {
          if (value === null) {
            pen = false;
            return;
          }
          path += `${pen ? "L" : "M"}${x(times[n]).toFixed(1)} ${y(value).toFixed(2)}`;
          pen = true;
        });
        if (still && path) {
          element("circle", { cx: x(first), cy: y(curve[0]), r: 4, style: `fill:${color(k)}` }, svg);
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
      const [k, fraction] = percuss.locate(time);
      at.textContent = `at ${clock(time)}`;
      chart.values.forEach((curve, n) => {
        const from = curve[k];
        const to = still ? from : curve[k + 1];
        const value = from === null || to === null ? null : from + fraction * (to - from);
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

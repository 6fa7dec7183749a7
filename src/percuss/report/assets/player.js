"use strict";
// The clock that animation and charts share, and the stretch of time they look at.

const percuss = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const times = data.time;
  const first = times[0];
  const last = times[times.length - 1];
  const still = !(last > first);
  const listeners = [];
  const viewers = [];
  // Everything looks at the time from `from` to `to`: the whole run, or a closer look.
  const state = { time: first, playing: false, speed: 1, loop: true, from: first, to: last };
  const find = (id) => document.getElementById(id);

  // 32-bit floats, little-endian, in base64.
  function floats(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Float32Array(bytes.buffer);
  }

  // Curves of charts as numbers; what is not finite is null.
  for (const chart of data.charts) chart.values = chart.values.map((text) => Array.from(floats(text), (v) => (Number.isFinite(v) ? v : null)));

  // The interval that holds a time, and how far into it: [k, fraction].
  function locate(time) {
    if (still || time <= first) return [0, 0];
    if (time >= last) return [times.length - 2, 1];
    let low = 0;
    let high = times.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle;
      else high = middle;
    }
    const span = times[high] - times[low];
    return [low, span > 0 ? (time - times[low]) / span : 0];
  }

  function nearest(time) {
    const [k, fraction] = locate(time);
    return Math.min(times.length - 1, fraction >= 0.5 ? k + 1 : k);
  }

  const superscripts = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const raised = (text) => String(text).replace(/[-0-9]/g, (c) => superscripts[c]);

  // Four significant digits, a true minus, powers of ten written out.
  function number(value, digits = 4) {
    if (value === null || !Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    let text;
    if (size < 1e-4 || size >= 1e6) {
      const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
      text = `${Number(mantissa)}×10${raised(Number(exponent))}`;
    } else {
      text = String(Number(value.toPrecision(digits)));
    }
    return text.replace("-", "−");
  }

  // A hundredth of what is looked at can be read, milliseconds below 100 s, and the shortest phase.
  const lasting = data.timeline.phases.map((phase) => phase.end - phase.begin).filter((span) => span > 0);
  const finest = lasting.length ? 1 - Math.floor(Math.log10(Math.min(...lasting))) : 0;
  function clock(time) {
    const span = state.to - state.from;
    const decimals = span > 0 ? Math.min(9, Math.max(span <= 100 ? 3 : 0, finest, 2 - Math.floor(Math.log10(span) - 0.3))) : 2;
    return `${time.toFixed(decimals).replace("-", "−")} s`;
  }

  function announce() {
    const span = state.to - state.from;
    find("scrub").value = span > 0 ? (1000 * (state.time - state.from)) / span : 0;
    find("clock").textContent = clock(state.time);
    find("play").textContent = state.playing ? "❚❚" : "▶";
    find("play").setAttribute("aria-label", state.playing ? "pause" : "play");
    for (const listener of listeners) listener(state.time);
  }

  function seek(time) {
    state.time = Math.min(state.to, Math.max(state.from, time));
    announce();
  }

  // Looks at a stretch of time only; without arguments at the whole run again.
  function look(from = first, to = last) {
    state.from = Math.max(first, from);
    state.to = Math.min(last, to);
    if (!(state.to > state.from)) [state.from, state.to] = [first, last];
    offer();
    if (state.time < state.from || state.time > state.to) state.time = state.from;
    for (const viewer of viewers) viewer();
    announce();
  }

  // Goes to a time wherever it is: a closer look that does not hold it is left.
  function jump(time) {
    play(false);
    if (time < state.from || time > state.to) look();
    seek(time);
  }

  let before = null;
  function tick(now) {
    if (!state.playing) {
      before = null;
      return;
    }
    if (before !== null) {
      let time = state.time + (state.speed * Math.min(0.25, (now - before) / 1000));
      if (time > state.to) {
        if (state.loop) time = state.from;
        else state.playing = false;
      }
      seek(time);
    }
    before = now;
    requestAnimationFrame(tick);
  }

  function play(on) {
    if (still) return;
    const starts = on && !state.playing;
    state.playing = on;
    if (starts) {
      if (state.time >= state.to) state.time = state.from;
      before = null;
      requestAnimationFrame(tick);
    }
    announce();
  }

  function step(count) {
    play(false);
    seek(times[Math.min(times.length - 1, Math.max(0, nearest(state.time) + count))]);
  }

  // What is looked at is shown in about ten seconds unless the reader wants otherwise.
  function offer() {
    const wanted = still ? 1 : (state.to - state.from) / 10;
    const speeds = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16];
    const round = [1, 2, 5].map((c) => c * 10 ** Math.floor(Math.log10(wanted)));
    if (wanted < 0.07) speeds.unshift(...[0.1, 1, 10].flatMap((s) => round.map((r) => Number((s * r).toPrecision(1)))).filter((s) => s < 0.1));
    if (wanted > 24) speeds.push(...round.filter((r) => r > 16));
    const distance = (s) => Math.abs(Math.log(s / wanted));
    state.speed = speeds.reduce((a, b) => (distance(b) < distance(a) ? b : a));
    find("speed").replaceChildren(...speeds.map((s) => new Option(`${s}×`, s, false, s === state.speed)));
  }

  function start() {
    offer();
    find("speed").addEventListener("change", (event) => { state.speed = Number(event.target.value); });
    find("loop").addEventListener("change", (event) => { state.loop = event.target.checked; });
    find("play").addEventListener("click", () => play(!state.playing));
    find("scrub").addEventListener("input", (event) => {
      const share = Number(event.target.value) / 1000; // before pausing puts the bar back
      play(false);
      seek(state.from + share * (state.to - state.from));
    });
    if (still) for (const id of ["play", "scrub", "speed", "loop"]) find(id).disabled = true;
    document.addEventListener("keydown", (event) => {
      const on = event.target.tagName;
      if (event.ctrlKey || event.metaKey || event.altKey || on === "SELECT") return;
      const moves = { ArrowLeft: -1, ArrowRight: 1 };
      if (event.key === " " && !["BUTTON", "SUMMARY"].includes(on) && event.target.type !== "checkbox") {
        play(!state.playing);
      } else if (event.key in moves) {
        step(moves[event.key] * (event.shiftKey ? 10 : 1));
      } else return;
      event.preventDefault();
    });
    window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((block) => { block.open = true; }));
    const asked = /[#&]t=([-+0-9.eE]+)/.exec(location.hash);
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    announce();
    if (percuss.opening) look(...percuss.opening);
    if (asked && Number.isFinite(Number(asked[1]))) seek(Number(asked[1]));
    else if (!calm) play(true);
  }

  return {
    data, times, first, last, still, state, find, floats, locate, nearest, number, raised, clock, seek, jump, look, play, start,
    listen: (f) => listeners.push(f), watch: (f) => viewers.push(f),
  };
})();

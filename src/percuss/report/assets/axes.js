// Axes of charts: round steps, labels, and the range that curves need.

(() => {
  const NOISE = 1e-12; // in SI units nothing on this page is meant to be that small but zero

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

  percuss.axes = { ticks, tickLabels, range, logRange };
})();

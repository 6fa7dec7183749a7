// What is drawn over the bodies: impulses where they act, the contact force, and the aim.

(() => {
  const { data, state, first, floats } = percuss;
  const { add, sub, scaled, length, unit, mix, takingZTo } = percuss.vectors;
  const { trails, finite, between, compact, thin, timeOf } = percuss.bodies;
  const scene = data.scene;
  const REACH = 0.32 * compact.size; // of the longest arrow
  const YELLOW = [1, 0.85, 0.35];
  const RED = [1, 0.45, 0.4];
  const PALE = [0.8, 0.9, 1];

  const size = (mark) => (mark.impulse ? length(mark.impulse) : 0);
  const marks = scene.marks.filter((mark) => mark.place && finite(mark.place));
  const largest = Math.max(0, ...marks.map(size));
  const force = scene.force && { vectors: floats(scene.force.vectors), peak: scene.force.peak };
  const aim = scene.aim && { points: floats(scene.aim.points), until: scene.aim.until };

  // How strongly an impact still shows: it fades over an eighth of the time looked at.
  function glow(mark, time) {
    const fade = 0.12 * (state.to - state.from);
    if (!(fade > 0)) return 1;
    const since = time - Math.max(first, mark.time);
    return since < 0 ? 0 : Math.max(0, 1 - since / fade);
  }

  const tip = (mark) => add(mark.place, scaled(unit(mark.impulse), reachOf(mark)));
  const reachOf = (mark) => REACH * Math.max(0.35, size(mark) / largest);

  function arrow(place, vector, reach, color) {
    const along = unit(vector);
    const q = takingZTo(along);
    const head = Math.min(0.22 * REACH, 0.5 * reach);
    const shaft = reach - head;
    return [
      { shape: "cylinder", p: add(place, scaled(along, shaft / 2)), q, size: [0.7 * thin, 0.7 * thin, shaft], color, opacity: 1 },
      { shape: "cone", p: add(place, scaled(along, shaft)), q, size: [2 * thin, 2 * thin, head], color, opacity: 1 },
    ];
  }

  // The force that acts at the tool now; null where it is none.
  function acting(place) {
    if (!force || !trails.tool) return null;
    const vector = between(force.vectors, place);
    const share = length(vector) / force.peak;
    if (!(share > 1e-3)) return null;
    const at = between(trails.tool, place);
    const reach = REACH * Math.max(0.12, share);
    return { at, vector, reach, tip: add(at, scaled(unit(vector), reach)) };
  }

  // From the tool to the point it is aimed at; null in contact and afterwards.
  function aiming(place, time) {
    if (!aim || !trails.tool || time >= aim.until) return null;
    const phase = percuss.phases.phaseAt(time);
    if (phase && phase.name === "contact") return null;
    const [from, to] = [between(trails.tool, place), between(aim.points, place)];
    const distance = length(sub(to, from));
    return finite([...from, ...to]) && distance > 1e-9 ? { from, to, distance } : null;
  }

  function dashes({ from, to, distance }) {
    const count = Math.max(1, Math.min(48, Math.round(distance / (0.06 * compact.size))));
    const q = takingZTo(sub(to, from));
    const long = (0.55 * distance) / count;
    return Array.from({ length: count }, (_, k) => ({
      shape: "cylinder", p: mix(from, to, (k + 0.5) / count), q, size: [0.3 * thin, 0.3 * thin, long], color: PALE, opacity: 1,
    }));
  }

  // Parts to draw at a place in time, each with its strength.
  function drawn(place) {
    const time = timeOf(place);
    const found = [];
    const put = (parts, strength) => parts.forEach((part) => found.push({ part, strength }));
    const way = aiming(place, time);
    if (way) {
      put(dashes(way), 0.5);
      put([{ shape: "sphere", p: way.to, q: [1, 0, 0, 0], size: Array(3).fill(1.1 * thin), color: PALE, opacity: 1 }], 0.7);
    }
    for (const mark of marks) {
      const strength = glow(mark, time);
      if (!(strength > 0)) continue;
      put([{ shape: "sphere", p: mark.place, q: [1, 0, 0, 0], size: Array(3).fill(1.6 * thin), color: YELLOW, opacity: 1 }], Math.max(0.02, strength));
      if (size(mark) > 0) put(arrow(mark.place, mark.impulse, reachOf(mark), YELLOW), Math.max(0.02, strength));
    }
    const push = acting(place);
    if (push) put(arrow(push.at, push.vector, push.reach, RED), 0.95);
    return found;
  }

  // Words beside them: [id, text, strength, from, to, across]: beyond `to`, or across the middle.
  function words(place) {
    const time = timeOf(place);
    const recent = marks.filter((mark) => size(mark) > 0 && glow(mark, time) > 0).pop();
    const push = acting(place);
    const way = aiming(place, time);
    return [
      recent ? ["impulse", `impulse ${percuss.number(size(recent), 3)} N s`, push ? 0 : glow(recent, time), recent.place, tip(recent), false] : ["impulse", "", 0],
      push ? ["force", `force ${percuss.number(length(push.vector), 3)} N`, 1, push.at, push.tip, false] : ["force", "", 0],
      way ? ["aim", `${percuss.number(way.distance, 3)} m`, 0.9, way.from, way.to, true] : ["aim", "", 0],
    ];
  }

  const tips = () => marks.filter((mark) => size(mark) > 0 && mark.time >= state.from && mark.time <= state.to).map((mark) => [tip(mark), 0]);
  percuss.marks = { drawn, words, tips };
})();

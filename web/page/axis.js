'use strict';
// An axis: its ends in SI units, logarithmic or linear, and where it is labelled.

/** The axis that an element's data-x-... or data-y-... describe; null where they do not. */
function axisOf(node, letter) {
  const { [`${letter}Min`]: low, [`${letter}Max`]: high, [`${letter}Scale`]: scale, [`${letter}Unit`]: unit = '' } = node.dataset;
  return low === undefined ? null : { low: Number(low), high: Number(high), log: scale !== 'linear', unit };
}

/** How far along the axis a value is: 0 at its low end, 1 at its high one. */
function along(axis, value) {
  if (!axis.log) return (value - axis.low) / (axis.high - axis.low);
  return Math.log(Math.max(value, 1e-300) / axis.low) / Math.log(axis.high / axis.low);
}

/** The value that is so far along. */
function valueAt(axis, part) {
  return axis.log ? axis.low * (axis.high / axis.low) ** part : axis.low + part * (axis.high - axis.low);
}

/** The axis cut to what lies between two parts of it. */
function cut(axis, from, to) {
  return { ...axis, low: valueAt(axis, from), high: valueAt(axis, to) };
}

function linearTicks(axis, most) {
  const raw = (axis.high - axis.low) / most, decade = 10 ** Math.floor(Math.log10(raw));
  const step = decade * [1, 2, 5, 10].find((times) => times * decade >= raw * 0.999), ticks = [];
  for (let i = Math.ceil(axis.low / step - 1e-9); i * step <= axis.high + step * 1e-9; i++) ticks.push({ value: i * step, label: true });
  return ticks;
}

/** Whole decades, with 2 and 5 between where few are seen; between them the other digits without a label. */
function ticksOf(axis, most) {
  const decades = Math.log10(axis.high / axis.low);
  if (!axis.log || decades < 0.7) return linearTicks(axis, most);
  const skip = Math.ceil(decades / most), labelled = decades <= 2.2 ? [1, 2, 5] : [1], ticks = [];
  for (let decade = Math.floor(Math.log10(axis.low)); 10 ** decade <= axis.high * 1.0001; decade++) {
    for (let digit = 1; digit <= (skip > 1 ? 1 : 9); digit++) {
      const value = digit * 10 ** decade;
      if (value < axis.low * 0.9999 || value > axis.high * 1.0001) continue;
      ticks.push({ value, label: labelled.includes(digit) && decade % skip === 0 });
    }
  }
  return ticks;
}

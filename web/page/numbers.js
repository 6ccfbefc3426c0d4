'use strict';
// Numbers as the command writes them: four digits, SI prefixes, binary ones never.

const prefixes = ['p', 'n', 'µ', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const never = (unit) => unit === '' || unit.includes('/byte') || unit.includes('/B');

/** "3.350", "1365", "0.0417": four digits, or fewer where the rest are zeros and `short` is asked for. */
function plain(value, short) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (!(size >= 1e-4 && size < 1e7)) return value.toExponential(short ? 0 : 2).replace('e+', 'e');
  const text = value.toFixed(Math.min(7, Math.max(0, 3 - Math.floor(Math.log10(size)))));
  return short && text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** "3.350 TB/s"; a value without a unit has no prefix. */
function quantity(value, unit, short = false) {
  if (!Number.isFinite(value)) return 'unknown';
  if (unit === '%') return `${plain(100 * value, true)} %`;
  if (value === 0 || never(unit)) return `${plain(value, short)}${unit && ' '}${unit}`;
  const step = Math.min(6, Math.max(-4, Math.floor(Math.log10(Math.abs(value)) / 3 + 1e-12)));
  return `${plain(value / 1000 ** step, short)} ${prefixes[step + 4]}${unit}`;
}

/** "73 %", "0.41 %". */
function percent(share) {
  return `${Number((100 * share).toPrecision(share >= 0.1 ? 3 : 2))} %`;
}

/** A ratio, to four digits and without a prefix. */
export const ratio = (value) => (value == null ? 'unknown' : String(Number(value.toPrecision(4))));

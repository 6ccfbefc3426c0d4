// A question as the words of a command line, which is what the library takes.

/** Options without a value. */
export const flags = new Set(['achieved', 'arrows', 'cold', 'json', 'lenient', 'sparse', 'train', 'warm']);

const listed = (value) => (Array.isArray(value) ? value : [value]);

function optionWords(name, value) {
  if (value === undefined || value === null || value === false) return [];
  if (flags.has(name)) return value === true || value.length === 0 ? [`--${name}`] : [`--${name}=${value}`]; // which the library refuses
  return listed(value).flatMap((one) => [`--${name}`, String(one)]);
}

/** The words of a command: its name, what it is of (''), parameters by name, options by name (a value, several, or true). */
export function words(command, name, values = {}, options = {}) {
  const given = Object.entries(values).filter(([, value]) => value !== '' && value !== undefined && value !== null);
  return [command, ...(name ? [name] : []), ...given.map(([key, value]) => `${key}=${value}`),
    ...Object.entries(options).flatMap(([option, value]) => optionWords(option, value))];
}

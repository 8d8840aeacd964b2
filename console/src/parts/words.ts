// Words of the API as people read them.

/** Begins with a capital, as `owner` in a table. */
export const toTitle = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A count with its noun, as `1 pattern` or `2 patterns`. */
export const formatCount = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

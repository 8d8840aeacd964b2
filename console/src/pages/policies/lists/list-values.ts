// The values of a list as lines of text, and back.

/** One value a line; blank lines and blanks around a value do not count. */
export const splitValues = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

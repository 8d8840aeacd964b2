// The values of a list as lines of text, and back. What a line would not show as it is stands in quotes, as in JSON.

const isBlankOutside = (text: string): boolean => text.trim() !== text;

/** The text in quotes; null: the line is no JSON of a text. */
function parseQuoted(line: string): string | null {
  if (!line.startsWith('"')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

const isQuoted = (value: string): boolean =>
  isBlankOutside(value) || value === '' || value.includes('\n') || parseQuoted(value) !== null;

/** One value a line. */
export const formatValues = (values: readonly string[]): string =>
  values.map((value) => (isQuoted(value) ? JSON.stringify(value) : value)).join('\n');

export interface ReadValues {
  values: string[];
  /** Why the text is not taken as it is; null: it is. */
  problem: string | null;
}

/** Blank lines do not count. Blanks around a value may be meant or not, so they are neither dropped nor kept unasked. */
export function readValues(text: string): ReadValues {
  const values: string[] = [];
  let problem: string | null = null;
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const quoted = parseQuoted(line.trim());
    if (quoted === null && isBlankOutside(line)) problem ??= describeBlank(at + 1, line);
    values.push(quoted ?? line);
  }
  return { values, problem };
}

const SHOWN = 60;

function describeBlank(number: number, line: string): string {
  const quoted = line.length > SHOWN ? 'in quotes' : `as ${JSON.stringify(line)}`;
  return `Line ${number.toLocaleString('en')} begins or ends with a blank: take it away, or write the value ${quoted}`;
}

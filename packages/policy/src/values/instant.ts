// Dates in conditions: ISO 8601 with an explicit offset, or a calendar date as its midnight in UTC.

const shape =
  /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Milliseconds since the epoch of `YYYY-MM-DD` or `YYYY-MM-DDThh:mm[:ss[.fff]](Z|+hh:mm)`; null for any other text, including a
 * local time without offset and a date that does not exist.
 */
export function parseInstant(text: string): number | null {
  const parts = shape.exec(text);
  if (parts === null) return null;
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number];
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return null;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
}

// Deprecation headers of an interface that ends on a given day (document 1, section 9).

/** Whether a day, `YYYY-MM-DD` in UTC, is over. */
export function isPast(day: string, now: Date): boolean {
  return now.toISOString().slice(0, day.length) > day;
}

/** The `Link` header that points to a migration guide. */
export function formatDeprecationLink(guide: string): string {
  return `<${guide}>; rel="deprecation"`;
}

/** The headers of every answer of a deprecated interface; `sunset` is its last day. */
export function createDeprecationHeaders(
  sunset: string,
  link: string,
): Readonly<Record<string, string>> {
  return { Deprecation: 'true', Sunset: sunset, Link: link };
}

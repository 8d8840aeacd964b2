// What a caller is told of an interface that ends on a day (document 1, section 9).

/** Whether a day, `YYYY-MM-DD` in UTC, is over. */
export function isPast(day: string, now: Date): boolean {
  return now.toISOString().slice(0, day.length) > day;
}

/** The headers of every answer under something deprecated. `guide` is the address of its migration guide. */
export function deprecation(sunset: string, guide: string): Record<string, string> {
  return { Deprecation: 'true', Sunset: sunset, Link: `<${guide}>; rel="deprecation"` };
}

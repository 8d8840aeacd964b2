// Reads and replaces values deep inside a request by their path, and lists the places there are.

export type Path = readonly (string | number)[];

/** Lists every path below `value`, containers before their contents. */
export function listPlaces(value: unknown, path: Path = []): { path: Path; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [];
  const steps: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return steps.flatMap(([step, inner]) => [
    { path: [...path, step], value: inner },
    ...listPlaces(inner, [...path, step]),
  ]);
}

/** Copies `whole` with the value at `path` replaced; `undefined` removes it. */
export function replaceValue<T>(whole: T, path: Path, value: unknown): T {
  const copy = structuredClone(whole);
  let holder = copy as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>;
  const last = path.at(-1) ?? '';
  if (value !== undefined) holder[last] = value;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete holder[last];
  return copy;
}

export function readValue(whole: unknown, path: Path): unknown {
  return path.reduce((holder, step) => (holder as Record<string | number, unknown>)[step], whole);
}

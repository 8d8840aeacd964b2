// What a run token may do: a grant limits, and what is made from it only narrows it.

/** A member that is absent limits nothing. */
export interface Grant {
  /** Names of tools. */
  tools?: string[];
  /** ISO 8601. */
  until?: string;
  /** How many further agents may act on its behalf, one behind the other. */
  depth?: number;
}

/** The widest grant that lies within both. */
export function meetGrants(one: Grant, other: Grant): Grant {
  const tools = one.tools && other.tools ? intersect(one.tools, other.tools) : undefined;
  return toGrant({
    tools: tools ?? one.tools ?? other.tools,
    until: findLeast(one.until, other.until),
    depth: findLeast(one.depth, other.depth),
  });
}

/** Whether a grant allows nothing that another does not allow. */
export function isWithinGrant(child: Grant, parent: Grant): boolean {
  const { tools, until, depth } = parent;
  const isListed = (name: string): boolean => tools?.includes(name) ?? true;
  return (
    (tools === undefined || (child.tools?.every(isListed) ?? false)) &&
    (until === undefined || (child.until !== undefined && isBefore(child.until, until))) &&
    (depth === undefined || (child.depth !== undefined && child.depth <= depth))
  );
}

/** What the next agent of a chain may get at most; null: the chain may not grow. */
export function passOnGrant(grant: Grant): Grant | null {
  const { depth } = grant;
  if (depth === undefined) return grant;
  return depth > 0 ? { ...grant, depth: depth - 1 } : null;
}

const isBefore = (one: string, other: string): boolean => Date.parse(one) <= Date.parse(other);

const intersect = (one: readonly string[], other: readonly string[]): string[] =>
  one.filter((name) => other.includes(name));

function findLeast<T extends string | number>(one?: T, other?: T): T | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const isLess = typeof one === 'string' ? isBefore(one, other as string) : one <= other;
  return isLess ? one : other;
}

/** Leaves out what is undefined. */
function toGrant({ tools, until, depth }: { [K in keyof Grant]: Grant[K] | undefined }): Grant {
  return {
    ...(tools && { tools }),
    ...(until !== undefined && { until }),
    ...(depth !== undefined && { depth }),
  };
}

// Names of decisions in addresses: their `traceId`, which every answer about them gives, or their object id.

const OBJECT_ID = /^[0-9a-f]{24}$/i;

export function toNameFilter(name: string): { _id: string } | { traceId: string } {
  return OBJECT_ID.test(name) ? { _id: name } : { traceId: name };
}

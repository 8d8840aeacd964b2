// Names of decisions in addresses: their `traceId`, which every answer about them gives, or their object id.

const OBJECT_ID = /^[0-9a-f]{24}$/i;

export const isObjectIdText = (name: string): boolean => OBJECT_ID.test(name);

export function toNameFilter(name: string): { _id: string } | { traceId: string } {
  return isObjectIdText(name) ? { _id: name } : { traceId: name };
}

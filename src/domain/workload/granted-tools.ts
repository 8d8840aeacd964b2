// Whether what an agent does lies within the tools of its grant.
import { listCalls, toSnakeCase } from '@assay/policy';
import type { Json } from '@assay/json';
import type { Grant } from './grant.ts';

/** Stands for the name of a policy where a grant decides. */
export const GRANT_POLICY = 'Grant';

/** Why an output is not within the grant; null: it is. Names are compared as `action.names` writes them. */
export function findUngranted(output: Json, { tools }: Grant): string | null {
  if (!tools) return null;
  const granted = new Set<string | null>(tools.map(toSnakeCase));
  const other = listCalls(output).find((name) => !granted.has(name));
  if (other === undefined) return null;
  return `The run token does not reach to ${other ?? 'calls without the name of a tool'}`;
}

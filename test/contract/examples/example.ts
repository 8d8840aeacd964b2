// What the contract tests know of a resource: for each operation a request that is served, and who may make it.
import type { Tenant } from '../tenant.ts';
import type { Access } from './access.ts';

export interface Sample {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** Form sent instead of a JSON body, where a browser sends one. */
  form?: Record<string, string>;
}

/** Creates a request on a tenant's own records with every input. `token`: the session that will send it. */
export type Example = (tenant: Tenant, token: string) => Sample | Promise<Sample>;

/** Values by `METHOD /path`. */
export interface ResourceExamples {
  access: Readonly<Record<string, Access>>;
  examples: Readonly<Record<string, Example>>;
  /** Status of an example that cannot be served: nothing is anchored, set up, signed or begun for it, or the records are fixed. */
  refused?: Readonly<Record<string, number>>;
  /** Inputs that take any JSON, or an object as well as a text: an operator of the database is data there. */
  freeForm?: Readonly<Record<string, readonly string[]>>;
}

export const sendNothing: Example = () => ({});

export const page = { page: '1', limit: '10' };

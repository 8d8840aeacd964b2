// Whether a standing grant may let through what an action holds (docs/guides/reviews.md).
import type { JsonObject } from '@assay/json';
import type { Action } from '../definition.ts';

/** Finds the fault of `grantable` in the config of an action that holds; null: none, or it is not set. */
export const findGrantableProblem = ({ grantable }: JsonObject): string | null =>
  grantable === undefined || typeof grantable === 'boolean'
    ? null
    : 'grantable must be true or false';

/** What the config says; without it, what several people or certain ones approve is not. */
export const isGrantable = ({ config }: Action): boolean =>
  typeof config?.['grantable'] === 'boolean'
    ? config['grantable']
    : config?.['approvals'] === undefined;

// An ingestion as its route hands it over, besides the parsed body.
import type { Json } from '@assay/json';
import type { LimitNotice } from '../../../domain/budgets/spending.ts';
import type { HaltNotice } from '../../../domain/halt/halt.ts';
import type { Key, Tenant } from '../../../domain/identity/tenant.ts';

/** The parts of the request that matter besides the parsed body. */
export interface IngestionRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  userAgent: string | null;
  rawBody: Buffer;
  /** Whether the caller has disconnected. */
  hasLeft: () => boolean;
  /** When it arrived, by `performance.now()`; absent: its agent does not wait for it. */
  receivedAt?: number;
  /** The body as JSON, or as much of it as identifies its agent; undefined if it is not JSON. */
  sent?: Json | undefined;
  /** Set for what was done before it was reported, such as a span. */
  observed?: { tags: readonly string[] };
  /** Set where it is judged once more, since a halt stopped it at the seal. */
  halt?: HaltNotice;
  /** Likewise, since it would have passed limits. */
  passed?: readonly LimitNotice[];
  /** Likewise: the standing grants that had ended, by id. */
  endedGrants?: readonly string[];
  /** Set where it is judged once more, while no other decision of its session is. */
  isAlone?: boolean;
}

export interface IngestionCaller {
  tenant: Tenant;
  key: Key;
}

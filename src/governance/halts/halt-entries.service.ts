// Seals halt entries: those that people and keys ask for, and those that the service makes by itself.
import type { JsonObject } from '@assay/json';
import { commitValues } from '../../domain/record/commitments.ts';
import type { HaltedSession } from '../../domain/halt/halt.ts';
import type { HaltFacts } from '../../domain/record/payload.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { Stored } from '../../ledger/entry.ts';
import type { Platform } from '../../platform/platform.ts';

/** Targets that may be halted at a time before a further session is refused: every instance remembers what binds. */
export const BINDING_MAX = 1000;

/** What a halt entry is to say. */
export interface SaidHalt extends Pick<HaltFacts, 'scope' | 'target' | 'state'> {
  name: string | undefined;
  reason?: string | undefined;
  /** What the halted session is, so that others can tell which decisions are its own. */
  session?: HaltedSession | undefined;
  /** What the service made it for; absent: a person or a key asked. */
  by?: JsonObject;
  /** Idempotency key of 16 bytes: a repeat within a day appends nothing. */
  once?: Buffer;
}

/** Whether the newest entry about a target makes another one needless; null: there is none. @throws AppError to refuse */
export type IsNeedless = (said: HaltFacts | null, newest: Stored | null) => boolean;

/** Who halts, and from which workspace. */
export type HaltingTenant = Pick<Tenant, 'organizationId' | 'workspaceId' | 'actor'>;

/** Appends a halt entry; false where it is needless. */
export async function sealHalt(
  { platform, tenant }: { platform: Platform; tenant: HaltingTenant },
  { scope, target, name, state, reason, session, by, once }: SaidHalt,
  isNeedless: IsNeedless,
): Promise<boolean> {
  const { organizationId, workspaceId, actor } = tenant;
  const values = { reason, name, session: session && { ...session }, by };
  const committed = commitValues(values, platform.draw16Bytes);
  const facts = { kind: 'halt', organizationId, workspaceId, actor, scope, target, state } as const;
  const entry = await platform.ledger.attestations.appendUnless(
    facts,
    { committed, once: once ?? null },
    (newest) => isNeedless(newest && (JSON.parse(newest.view) as HaltFacts), newest),
  );
  return entry !== null;
}

/** A watch does not loosen what is halted: that is a resumption. */
export const isHaltedAlready =
  (state: 'halted' | 'watched'): IsNeedless =>
  (newest) =>
    newest?.state === state || (newest?.state === 'halted' && state === 'watched');

// The payload members and the draft that every amendment of a decision shares.
import type { Tenant } from '../../domain/identity/tenant.ts';
import { computePayloadDigest } from '../../domain/record/chain.ts';
import type { Sealed } from '../entry.ts';
import type { Amendment, Subject } from './amendments.ts';

type Amendable = Sealed & { workspaceId: string | null; traceId: string };

/** Builds the common payload members: the workspace is taken from the decision, the actor from the caller. */
export function buildAmendmentBase(
  { organizationId, actor }: Pick<Tenant, 'organizationId' | 'actor'>,
  { trace, subject, after }: Subject<Amendable>,
) {
  const { workspaceId, traceId } = trace;
  return { organizationId, workspaceId, actor, traceId, subject, after, commitments: {} };
}
export type AmendmentBase = ReturnType<typeof buildAmendmentBase>;

/** Builds an amendment from its canonical payload. `fields` are stored beside it, such as the committed values. */
export function buildAmendment(
  kind: Amendment['kind'],
  payload: string,
  fields: Amendment['fields'] = {},
): Amendment {
  return { kind, payload, payloadDigest: computePayloadDigest(payload), fields };
}

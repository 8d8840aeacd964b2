// What every amendment of a decision has in common, whoever decides on it.
import type { Tenant } from '../../domain/identity/tenant.ts';
import { payloadDigest } from '../../domain/record/chain.ts';
import type { Sealed } from '../entry.ts';
import type { Amendment, Subject } from './amendments.ts';

type Amendable = Sealed & { workspaceId: string | null; traceId: string };

/** The common members of its payload; the decision says which workspace, the caller who amends. */
export function amendmentBase(
  { organizationId, actor }: Pick<Tenant, 'organizationId' | 'actor'>,
  { trace, subject, after }: Subject<Amendable>,
) {
  const { workspaceId, traceId } = trace;
  return { organizationId, workspaceId, actor, traceId, subject, after, commitments: {} };
}
export type AmendmentBase = ReturnType<typeof amendmentBase>;

/** A draft of its canonical payload. `fields`: what is stored beside it, such as the committed values. */
export function amendmentOf(
  kind: Amendment['kind'],
  payload: string,
  fields: Amendment['fields'] = {},
): Amendment {
  return { kind, payload, payloadDigest: payloadDigest(payload), fields };
}

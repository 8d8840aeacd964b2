// Held decisions and what is done with them, for the tests of the review queue.
import { beforeAll } from 'vitest';
import type { Harness } from '../../setup/harness.ts';
import { createWorkspaceKey, buildDecision, assertOk, type Owner } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

export const path = '/api/v1/review-queue';

export interface Held {
  /** Id of the review item. */
  id: string;
  traceId: string;
  /** Object id of the decision. */
  mongoId: string;
}

/** A policy that holds refunds and a key to ingest with, both the owner's. */
export function useReviews(harness: Harness, owner: Owner) {
  const { app } = harness;
  let key = '';
  beforeAll(async () => {
    ({ key } = await createWorkspaceKey(app, owner));
    const conditions = [
      { field: 'outputDecision.action.tool', operator: 'equals', value: 'refund' },
      { field: 'outputDecision.action', operator: 'contains', value: 'refund' },
    ].map((condition) => ({ ...condition, logicalOperator: 'OR' }));
    const actions = [{ type: 'flag_for_review', config: { reason: 'Refunds are looked at' } }];
    const policy = { name: 'Refunds', conditions, actions };
    assertOk(await app.call('POST', '/api/v1/policies', { token: owner.token, body: policy }));
  });
  return {
    /** A held decision; `more` replaces members of its body. */
    async hold(more: object = {}, by?: string): Promise<Held> {
      const outputDecision = { action: { tool: 'refund', amount: 120 } };
      const body = buildDecision('till', { outputDecision, ...more });
      const answer = await app.call('POST', '/api/v1/traces', { key: by ?? key, body });
      const { traceId } = assertOk(answer).body.data as { traceId: string };
      const stored = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
      return { id: String(stored?.review?._id), traceId, mongoId: String(stored?._id) };
    },
    list: (query = '', { token } = owner): Promise<Answer> =>
      app.call('GET', `${path}?${query}`, { token }),
    decide: (id: string, body: object, { token } = owner): Promise<Answer> =>
      app.call('POST', `${path}/${id}/decision`, { token, body }),
    decideAll: (body: object, { token } = owner): Promise<Answer> =>
      app.call('POST', `${path}/bulk-decision`, { token, body }),
    read: (id: string, { token } = owner): Promise<Answer> =>
      app.call('GET', `/api/v1/traces/${id}`, { token }),
    entriesOf: (traceId: string) =>
      harness.db.collection('ledger').find({ traceId }).sort({ sequence: 1 }).toArray(),
    verify: async (): Promise<boolean> =>
      assertOk(await app.call('POST', '/api/v1/hash-chain/verify', { token: owner.token })).body
        .data.verified as boolean,
  };
}

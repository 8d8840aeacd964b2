// An organisation with an agent, a policy that holds refunds, and one that blocks wires, as an agent's code meets them.
import { beforeAll, beforeEach } from 'vitest';
import { Assay, type AssayOptions } from '../../../packages/sdk-typescript/src/index.ts';
import type { Harness } from '../../setup/harness.ts';
import { assertOk, createAgent, type Owner } from '../../setup/personas.ts';

interface Pending {
  _id: string;
  traceId: string;
  actionDigest: string;
}

/** Until a held action is in the queue. */
const HELD_MS = 60_000;

export function useGuards(harness: Harness, owner: Owner) {
  const { app } = harness;
  const agent = { id: '', name: '', key: '' };
  beforeAll(async () => {
    Object.assign(agent, await createAgent(app, owner));
    await createPolicy('Refunds', 'issue_refund', {
      type: 'flag_for_review',
      config: { reason: 'Refunds are looked at' },
    });
    await createPolicy('Wires', 'wire', { type: 'block', config: { reason: 'No wires' } });
  });

  /** What earlier tests left undecided. */
  let left = new Set<string>();
  beforeEach(async () => {
    left = new Set((await listPending()).map(({ traceId }) => traceId));
  });

  /** Returns the id of the policy. */
  async function createPolicy(name: string, tool: string, action: object): Promise<string> {
    const conditions = [{ field: 'outputDecision.action.tool', operator: 'equals', value: tool }];
    const body = { name, conditions, actions: [action] };
    const made = await app.call('POST', '/api/v1/policies', { token: owner.token, body });
    return assertOk(made).body.data._id;
  }

  return {
    agent,
    createPolicy,
    connect: (options: AssayOptions = {}): Assay =>
      new Assay({ url: app.url, key: agent.key, ...options }),
    /** Waits until a person can see an action that this test holds, then decides about it. */
    async decideNext(verdict: object, traceId?: string): Promise<string> {
      const item = await findPending(traceId);
      const path = `/api/v1/review-queue/${item._id}/decision`;
      // Edits name the action that they were made of.
      const body = 'edits' in verdict ? { actionDigest: item.actionDigest, ...verdict } : verdict;
      assertOk(await app.call('POST', path, { token: owner.token, body }));
      return item.traceId;
    },
    /** The id of the decision that this test holds, as soon as a person can see it. */
    findHeld: async (): Promise<string> => (await findPending(undefined)).traceId,
    read: async (traceId: string) =>
      assertOk(await app.call('GET', `/api/v1/traces/${traceId}`, { token: owner.token })).body
        .data,
    listExecutions: async (traceId: string) =>
      assertOk(
        await app.call('GET', `/api/v1/traces/${traceId}/executions`, { token: owner.token }),
      ).body.data,
  };

  async function listPending(): Promise<Pending[]> {
    const path = '/api/v1/review-queue?status=pending';
    const { data } = assertOk(await app.call('GET', path, { token: owner.token })).body;
    return data.items ?? data;
  }

  /** Gives up when nothing is held for longer than a busy machine takes. */
  async function findPending(traceId?: string): Promise<Pending> {
    for (const end = performance.now() + HELD_MS; performance.now() < end;) {
      const isMeant = (item: Pending): boolean =>
        traceId === undefined ? !left.has(item.traceId) : item.traceId === traceId;
      const found = (await listPending()).find(isMeant);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const path = `/api/v1/traces/${traceId}`;
    const { text } = await app.call('GET', path, { token: owner.token });
    throw new Error(`the action is not held: ${text}`);
  }
}

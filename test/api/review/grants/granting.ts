// What tests of standing grants share: a listed tool, a policy that holds it, and decisions that call it.
import type { Json } from '@assay/json';
import type { Harness } from '../../../setup/harness.ts';
import { assertOk, buildDecision, createAgent, type Owner } from '../../../setup/personas.ts';
import type { TestApp } from '../../../setup/start-app.ts';

const READING = { does: ['money'], gives: [], match: {} };

/** Calls as `owner`, in the API. */
export function useGrants(harness: Harness, owner: Owner) {
  const { app } = harness;
  const call = (method: string, path: string, body?: object, token = owner.token) =>
    app.call(method, `/api/v1${path}`, { token, ...(body && { body }) });
  const list = async (tool: string, entry: object = READING) =>
    assertOk(await call('PUT', `/tools/${tool}`, { entries: [entry] }));
  const addPolicy = async (tool: string, config: object = {}): Promise<string> => {
    const conditions = [{ field: 'action.names', operator: 'contains', value: tool }];
    const actions = [{ type: 'flag_for_review', config }];
    const body = { name: `Hold ${tool}`, conditions, actions };
    return assertOk(await call('POST', '/policies', body)).body.data._id;
  };
  return {
    call,
    list,
    addPolicy,
    /** An agent, and a tool that is listed and held. */
    async prepare(tool: string, config: object = {}) {
      await list(tool);
      return { agent: await createAgent(app, owner), policyId: await addPolicy(tool, config) };
    },
    async post(
      { name, key }: { name: string; key: string },
      tool: string,
      given: Record<string, Json> = { amount: 10 },
      { instance = app, more = {} }: { instance?: TestApp; more?: object } = {},
    ) {
      const outputDecision = { action: { tool, arguments: given } };
      const body = buildDecision(name, { outputDecision, ...more });
      return assertOk(await instance.call('POST', '/api/v1/traces', { key, body })).body.data;
    },
    decide: (reviewId: string, body: object, token = owner.token) =>
      call('POST', `/review-queue/${reviewId}/decision`, body, token),
    read: async (id: string) => assertOk(await call('GET', `/grants/${id}`)).body.data,
    verify: async (): Promise<unknown> =>
      assertOk(await call('POST', '/hash-chain/verify', {})).body.data,
    /** The chain as it is exported, line by line. */
    async *exportLines() {
      const { text } = await call('GET', '/hash-chain/export?fromSequence=1');
      yield* text.trimEnd().split('\n');
    },
  };
}

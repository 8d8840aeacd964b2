// Decisions posted in numbers, and the overview of them.
import type { Harness } from '../../setup/harness.ts';
import { assertOk, buildDecision } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

export const DAY_MS = 86_400_000;

/** A decision to post. */
export interface Spec {
  agentId: string;
  action: string;
  daysAgo: number;
  workspace?: string;
}

export function useOverview({ app }: Harness) {
  const ask = (path: string, query: string, token: string, headers: object = {}): Promise<Answer> =>
    app.call('GET', `/api/v1/overview${path}?${query}`, { token, headers: { ...headers } });

  async function postHundred(specs: readonly Spec[], key: string): Promise<void> {
    const decisions = specs.map(({ agentId, action, daysAgo }) =>
      buildDecision(agentId, {
        outputDecision: { action: { tool: action }, confidence: 0.9 },
        timestamp: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
      }),
    );
    const workspace = specs[0]?.workspace;
    const headers: Record<string, string> = workspace ? { 'x-workspace-id': workspace } : {};
    const call = { key, body: { decisions }, headers };
    assertOk(await app.call('POST', '/api/v1/traces/batch', call));
  }

  return {
    ask,
    read: async (path: string, query: string, token: string, headers: object = {}) =>
      assertOk(await ask(path, query, token, headers)).body.data,
    /** Posts decisions of one workspace, a hundred at a time. */
    async post(specs: readonly Spec[], key: string): Promise<void> {
      for (let from = 0; from < specs.length; from += 100)
        await postHundred(specs.slice(from, from + 100), key);
    },
  };
}

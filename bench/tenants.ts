// Organisations to measure with: agents without a limit of their own, a key, a hundred policies.
import { createDefinition } from './in-process/policies.ts';

/** Number of policies of each organisation. */
export const POLICIES = 100;
/** Organisations that are registered side by side. */
const AT_ONCE = 8;

export interface Bench {
  organizationId: string;
  /** Token of the owner's session. */
  token: string;
  /** Key of the workspace. */
  key: string;
}

interface Envelope {
  data: {
    token: string;
    organization: { _id: string };
    _id: string;
    key: string;
    signingSecret: string;
    streamToken: string;
    state: string;
    done: number;
    lastSequence: number;
  };
}

/** Calls the API; any answer but a success ends the measurement. */
export async function callApi(
  url: string,
  { method = 'POST', token, body }: { method?: string; token?: string; body?: object },
) {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(url, { method, headers, body: body ? JSON.stringify(body) : null });
  if (!response.ok)
    throw new Error(`${method} ${url} answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as Envelope).data;
}

interface Kind {
  agentNames: readonly string[];
  policies?: number;
}

/** Registers organisations over HTTP, a few at a time: passwords wait in a queue that is bounded. */
export async function registerOrganizations(
  url: string,
  count: number,
  kind: Kind,
): Promise<Bench[]> {
  const made: Bench[] = [];
  while (made.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - made.length) });
    made.push(...(await Promise.all(some.map(() => organization(url, kind)))));
  }
  return made;
}

async function organization(
  url: string,
  { agentNames, policies = POLICIES }: Kind,
): Promise<Bench> {
  const api = `${url}/api/v1`;
  const email = `bench-${process.hrtime.bigint()}@example.com`;
  const { token, organization } = await callApi(`${api}/auth/register`, {
    body: { name: 'Bench', email, password: 'Correct-Horse-9', organizationName: 'Bench' },
  });
  for (const name of agentNames) {
    const { _id } = await callApi(`${api}/agents`, { token, body: { name } });
    await callApi(`${api}/agents/${_id}/policies`, {
      method: 'PATCH',
      token,
      body: { maxRequestsPerMinute: null },
    });
  }
  const { key } = await callApi(`${api}/auth/keys`, { token, body: { name: 'bench' } });
  for (let i = 0; i < policies; i++)
    await callApi(`${api}/policies`, { token, body: createPolicyBody(i) });
  return { organizationId: organization._id, token, key };
}

/** Creates a policy: most never match; two hold a share of the decisions for review. */
function createPolicyBody(i: number): object {
  const { name, priority, conditions, actions } = createDefinition(i);
  if (i >= 2) return { name, priority, conditions, actions };
  const matching = [
    { field: 'confidenceScore', operator: 'less_than', value: 0.7 },
    { field: 'outputDecision.action.tool', operator: 'equals', value: 'cancel_reservation' },
  ][i];
  return { name, priority, conditions: [matching], actions: [{ type: 'flag_for_review' }] };
}

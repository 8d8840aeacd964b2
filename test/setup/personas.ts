// People, keys and decisions that tests begin with.
import { generateHex } from '../../src/platform/ids.ts';
import type { Answer, TestApp } from './start-app.ts';

export const PASSWORD = 'Correct-Horse-9';

export interface Owner {
  token: string;
  email: string;
  userId: string;
  organizationId: string;
  workspaceId: string;
}

/** Fails loudly: a test that begins on a failed call proves nothing. */
export function assertOk(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`);
  return answer;
}

/** A new organisation and its owner. */
export async function createOwner(app: TestApp, name = 'Ada'): Promise<Owner> {
  const email = `${name.toLowerCase()}-${generateHex(6)}@example.com`;
  const { data } = assertOk(
    await app.call('POST', '/api/v1/auth/register', {
      body: { name, email, password: PASSWORD, organizationName: `${name} Ltd` },
    }),
  ).body;
  return {
    token: data.token,
    email,
    userId: data.user._id,
    organizationId: data.organization._id,
    workspaceId: data.organization.defaultWorkspaceId,
  };
}

/** A raw workspace key. */
export async function createWorkspaceKey(
  app: TestApp,
  { token }: Owner,
  more: object = {},
): Promise<{ key: string; id: string }> {
  const { data } = assertOk(
    await app.call('POST', '/api/v1/auth/keys', { token, body: { name: 'ingest', ...more } }),
  ).body;
  return { key: data.key, id: data._id };
}

/** A raw key whose word counts as a person's. */
export async function createFeedbackKey(
  app: TestApp,
  owner: Owner,
  more: object = {},
): Promise<string> {
  const capable = { name: 'feedback', capabilities: ['feedback'] };
  return (await createWorkspaceKey(app, owner, Object.assign(capable, more))).key;
}

/** A registered agent with its raw key. */
export async function createAgent(
  app: TestApp,
  { token }: Owner,
  name = `agent-${generateHex(4)}`,
): Promise<{ id: string; name: string; key: string }> {
  const { data } = assertOk(
    await app.call('POST', '/api/v1/agents', { token, body: { name } }),
  ).body;
  return { id: data._id, name, key: data.apiKey };
}

let made = 0;

/** The body of a decision, each a different one. */
export function buildDecision(agentId: string, more: object = {}): Record<string, unknown> {
  made += 1;
  return {
    agentId,
    inputContext: { prompt: `Customer asks about order ${made}` },
    outputDecision: {
      action: 'reply',
      rationale: `Order ${made} was shipped yesterday according to the tracking system, so the customer is informed.`,
    },
    triggeringCondition: 'message',
    ...more,
  };
}

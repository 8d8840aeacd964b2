// Thousands of decisions of two workspaces: tools, amounts, replies, sessions, and values that are long or mislead.
import { assertOk, createWorkspaceKey } from '../../setup/personas.ts';
import { useFixture } from '../../setup/fixtures.ts';
import type { Harness } from '../../setup/harness.ts';
import { createShop, type Shop } from './shop.ts';

export interface Many extends Shop {
  nightKey: string;
  nightId: string;
}

export const HOSTILE_SESSION = 'chat "4711" <b>\u202Eevil</b> -x status:held';
export const LONG_TOOL = `sync_${'very_long_'.repeat(15)}name`;

const TOOLS = ['cancel_order', 'cancel_booking', 'get_order', 'find_parcel', 'refund_payment'];

function createCall(index: number): object {
  const tool = TOOLS[index % TOOLS.length];
  const call = { tool, arguments: { order: `SO-${10_000 + index}`, amount: index % 1000 } };
  return {
    agentId: `till-${index % 7}`,
    sessionId: `chat-${index % 200}`,
    inputContext: { prompt: `Customer ${index} writes` },
    outputDecision: { action: call, rationale: 'The customer asked for it.' },
  };
}

const createOdd = (): object[] => [
  {
    agentId: '\u202Etill <img src=x>',
    sessionId: HOSTILE_SESSION,
    inputContext: { prompt: 'Hello' },
    outputDecision: {
      action: { tool: LONG_TOOL, arguments: { gift: 'gift_card_3481935' } },
      rationale: 'A long name.',
    },
  },
  {
    agentId: 'till-1',
    inputContext: { prompt: 'Where is it?' },
    outputDecision: {
      action: { tool: 'respond_to_customer', arguments: {} },
      rationale: 'Your parcel is on its way.',
    },
  },
];

async function createMany({ app }: Harness, count: number): Promise<Many> {
  const shop = await createShop(app, 10);
  const { token } = shop;
  const body = { name: 'Night shop' };
  const { _id } = assertOk(await app.call('POST', '/api/v1/workspaces', { token, body })).body.data;
  const { key: nightKey } = await createWorkspaceKey(app, shop, { workspaceId: _id });
  const calls = Array.from({ length: count }, (_, index) => createCall(index));
  for (let from = 0; from < count; from += 100) {
    const key = from % 200 === 0 ? shop.key : nightKey;
    const decisions = calls.slice(from, from + 100);
    assertOk(await app.call('POST', '/api/v1/traces/batch', { key, body: { decisions } }));
  }
  const odd = { decisions: createOdd() };
  assertOk(await app.call('POST', '/api/v1/traces/batch', { key: shop.key, body: odd }));
  await app.instance.runJobsOnce();
  return { ...shop, nightKey, nightId: _id };
}

export const useMany = (harness: Harness, count: number): Many =>
  useFixture(() => createMany(harness, count));

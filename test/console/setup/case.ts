// A session of several steps: an agent that reads, asks another one, is held, and goes on.
import type { TestApp } from '../../setup/start-app.ts';
import { assertOk } from '../../setup/personas.ts';
import { postDecision, type Shop } from './shop.ts';

const SESSION = 'ticket-4711';

/** Returns the decision that is held. */
export async function createCase(app: TestApp, { token, key }: Shop): Promise<string> {
  const gives = ['untrusted', 'private'];
  const body = { entries: [{ does: [], gives }] };
  assertOk(await app.call('PUT', '/api/v1/tools/read_ticket', { token, body }));
  const decide = async (action: object, more: object = {}): Promise<string> => {
    const { traceId } = await postDecision(app, key, {
      agentId: 'shop-support',
      sessionId: SESSION,
      inputContext: {
        prompt: 'My parcel never came. Please pay back what I paid for it.',
        conversationId: 'chat-88',
        documents: [{ title: 'Returns', text: 'Within 30 days the price is paid back.' }],
      },
      outputDecision: { action, rationale: 'The customer asks for a refund.' },
      ...more,
    });
    return traceId;
  };
  const first = await decide({ tool: 'read_ticket', arguments: { ticket: 4711 } });
  await decide({ tool: 'find_order', arguments: { customer: 'C-1042' } }, { parentTraceId: first });
  const asked = await decide({ tool: 'ask_agent', arguments: { agent: 'carrier-desk' } });
  await decide(
    { tool: 'track_parcel', arguments: { parcel: 'P-77310', carrier: 'any' } },
    { agentId: 'carrier-desk', sessionId: 'tracking-9', parentTraceId: asked },
  );
  const refund = { tool: 'refund_payment', arguments: { order_id: 'SO-52001', amount: 240 } };
  const rejected = await decide(refund);
  const read = await app.call('GET', `/api/v1/traces/${rejected}`, { token });
  const { review } = assertOk(read).body.data;
  const path = `/api/v1/review-queue/${review._id}/decision`;
  const verdict = { decision: 'reject', reason: 'The amount is not that of the order' };
  assertOk(await app.call('POST', path, { token, body: verdict }));
  const again = { tool: 'refund_payment', arguments: { order_id: 'SO-52001', amount: 89.9 } };
  return decide(again);
}

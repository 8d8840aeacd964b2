// A refund, which the first policy holds.
import { writeCurl } from '../../parts/snippets.ts';

const REFUND = {
  agentId: 'shop-support',
  inputContext: { prompt: 'The blender I got is broken. I want my 89.90 back.' },
  outputDecision: {
    action: { tool: 'refund_payment', arguments: { order_id: 'SO-47110', amount: 89.9 } },
    rationale: 'The order is within its warranty, so the price is paid back.',
  },
};

export const writeRefund = (key: string | null): string => writeCurl({ key }, REFUND);

// Sees to it that what a policy halts is halted, also where the instance ended right after the decision was sealed.
import type { TraceDocument } from '../../decisions/traces/traces.model.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import { dropErased } from '../../ledger/follow/without-erased.ts';
import type { Platform } from '../../platform/platform.ts';
import { toHaltRow } from './due-halts.service.ts';

export function createPolicyHaltsConsumer({
  outbox,
}: Pick<Platform, 'outbox'>): Consumer<TraceDocument> {
  return {
    name: 'policy-halts',
    from: 'head',
    kinds: ['trace', 'erasure'],
    projection: { traceId: 1, answer: 1, erasedAt: 1 },
    async consume(entries, context) {
      const kept = await dropErased(entries, outbox, context);
      const halting = kept.filter(({ kind, answer }) => kind === 'trace' && answer.halts);
      const rows = halting.map((entry) => toHaltRow(context.organizationId, entry));
      await outbox.write(rows, context.session);
    },
  };
}

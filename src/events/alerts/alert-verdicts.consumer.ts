// Follows a card in a chat with the verdict: messages of incoming webhooks cannot be rewritten.
import type { Consumer } from '../../ledger/follow/consumer.ts';
import { dropErased, type Erasable } from '../../ledger/follow/without-erased.ts';
import type { Models } from '../../models.ts';
import type { OutboxRow, OutboxWriter } from '../../platform/outbox/outbox-writer.ts';
import { createActionRow } from './alert-matches.ts';
import type { AlertRuleDocument } from './alerts.model.ts';

interface Followed extends Erasable {
  createdAt: Date;
}

interface Deps {
  models: Pick<Models, 'alertRules' | 'reviewLinks'>;
  outbox: OutboxWriter;
}

/** A card that a rule sent about a decision. */
interface SentCard {
  traceId: string;
  receiver: string;
}

export function createAlertVerdictsConsumer({ models, outbox }: Deps): Consumer<Followed> {
  return {
    name: 'alert-verdicts',
    from: 'head',
    kinds: ['review', 'erasure'],
    projection: { traceId: 1, createdAt: 1, erasedAt: 1 },
    async consume(entries, context) {
      const { organizationId, session } = context;
      const kept = await dropErased(entries, outbox, context);
      const traceIds = kept.filter(({ kind }) => kind === 'review').map(({ traceId }) => traceId);
      if (traceIds.length === 0) return;
      const where = { organizationId, traceId: { $in: traceIds }, receiver: { $ne: null } };
      const sent = await models.reviewLinks
        .find(where, 'traceId receiver', { session })
        .lean<SentCard[]>();
      if (sent.length === 0) return;
      const ids = sent.map(({ receiver }) => receiver);
      const rules = await models.alertRules
        .find({ organizationId, _id: { $in: ids }, isActive: true }, null, { session })
        .lean<AlertRuleDocument[]>();
      const at = kept.at(-1)?.createdAt ?? new Date(0);
      await outbox.write(
        rules.flatMap((rule) => createFollowUps(rule, sent, at)),
        session,
      );
    },
  };
}

/** One message for each chat and decision that the rule has sent a card about. */
function createFollowUps(
  rule: AlertRuleDocument,
  sent: readonly SentCard[],
  at: Date,
): OutboxRow[] {
  const own = sent.filter(({ receiver }) => receiver === rule._id.toHexString());
  const chats = rule.actions.filter(({ type }) => type === 'chat');
  return [...new Set(own.map(({ traceId }) => traceId))].flatMap((subject) => {
    const data = { traceId: subject };
    const event = { event: 'review.decided', timestamp: at.toISOString(), data };
    return chats.map((action) => createActionRow(rule, { subject, action, event }));
  });
}

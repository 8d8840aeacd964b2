// Says that something was halted or resumed: to owners and admins, and to webhooks that take every event.
import { findMailbox } from '../../identity/auth/accounts/account-reader.service.ts';
import { joinStops } from '../../domain/halt/stops.ts';
import { EVENT_TOPIC } from '../../domain/events/events.ts';
import type { Stored } from '../../ledger/entry.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import type { OutboxRow } from '../../platform/outbox/outbox-writer.ts';
import type { Platform } from '../../platform/platform.ts';
import { notify } from '../../events/notifications/notices/notices.service.ts';

interface ChangedHalt {
  organizationId: string;
  sequence: number;
  at: Date;
  data: object;
}

interface Deps {
  hasSubscribers: (organizationId: string) => Promise<boolean>;
}

export function createHaltsConsumer(
  platform: Platform,
  { hasSubscribers }: Deps,
): Consumer<Stored> {
  const { ledger, outbox } = platform;
  return {
    name: 'halts',
    from: 'head',
    kinds: ['halt'],
    projection: {},
    async consume(entries, { session, organizationId }) {
      const sequences = new Set(entries.map(({ sequence }) => sequence));
      const stops = joinStops(await ledger.halts.listRecords(organizationId));
      const isHeard = await hasSubscribers(organizationId);
      for (const { id: haltId, scope, name, history } of stops.toReversed())
        for (const { sequence, state, createdAt, by, cause } of history) {
          if (!sequences.has(sequence)) continue;
          const what = name ?? scope;
          const mailbox = by === null ? null : await findMailbox(platform, by);
          const about = [{ haltId, what, state, by: mailbox?.name ?? null }];
          // Who changes members knows it.
          if (cause !== 'membership')
            await notify(
              platform,
              { organizationId, event: 'halt.changed', at: createdAt, about },
              session,
            );
          if (!isHeard) continue;
          const data = { haltId, scope, name: what, state };
          const row = toEventRow({ organizationId, sequence, at: createdAt, data });
          await outbox.write([row], session);
        }
    },
  };
}

function toEventRow({ organizationId, sequence, at, data }: ChangedHalt): OutboxRow {
  const payload = { event: 'halt.changed', timestamp: at.toISOString(), data };
  return { organizationId, topic: EVENT_TOPIC, lane: organizationId, sequence, payload };
}

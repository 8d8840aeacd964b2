// Who is told of an organisation's events: its active webhooks, read through a cache, so that a decision that nobody waits for costs nothing.
import type { Platform } from '../../composition/platform.ts';
import { takes } from '../../domain/events/events.ts';
import type { WebhookDocument } from './webhooks.model.ts';

/** Of a webhook, as far as it decides what it is told. */
export type Subscription = Pick<WebhookDocument, '_id' | 'workspaceId' | 'events'>;

/** Null, as workspace of an event: it concerns the whole organisation. */
interface Occasion {
  event: string;
  workspaceId: string | null;
}

const CACHED_ORGANIZATIONS = 10_000;

export function createSubscriptionService({
  models,
  caches,
  onCommit,
}: Pick<Platform, 'models' | 'caches' | 'onCommit'>) {
  const active = caches.open<Subscription[]>({
    collections: ['webhooks'],
    max: CACHED_ORGANIZATIONS,
  });

  async function activeOf(organizationId: string): Promise<Subscription[]> {
    const found = await active.get(organizationId, async () => {
      const value = await models.webhooks
        .find({ organizationId, isActive: true }, 'workspaceId events')
        .lean<Subscription[]>();
      return { organizationId, value };
    });
    return found ?? [];
  }

  return {
    /** Whether any webhook could be told of anything. */
    async subscribes(organizationId: string): Promise<boolean> {
      return (await activeOf(organizationId)).length > 0;
    },

    /** The webhooks that take an event; those of a workspace take its events only. */
    async takersOf(organizationId: string, { event, workspaceId }: Occasion): Promise<string[]> {
      return (await activeOf(organizationId))
        .filter(({ events }) => takes(events, event))
        .filter((one) => one.workspaceId === null || one.workspaceId.toHexString() === workspaceId)
        .map(({ _id }) => _id.toHexString());
    },

    /** Call it with every change of a webhook; it holds from the commit on. */
    changed(organizationId: string): void {
      onCommit(() => active.invalidate(organizationId));
    },
  };
}
export type SubscriptionService = ReturnType<typeof createSubscriptionService>;

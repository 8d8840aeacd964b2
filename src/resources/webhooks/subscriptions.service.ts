// Who is told of an organisation's events: its active webhooks.
import type { Platform } from '../../composition/platform.ts';
import { isFollowing, takes } from '../../domain/events/events.ts';
import { concerns } from '../../domain/identity/workspace-scope.ts';
import type { WebhookDocument } from './webhooks.model.ts';

/** Of a webhook, as far as it decides what it is told. */
export type Subscription = Pick<WebhookDocument, '_id' | 'workspaceId' | 'events' | 'since'>;

/** Null, as workspace of an event: it concerns the whole organisation. */
interface Occasion {
  event: string;
  workspaceId: string | null;
  /** Of the decision that it tells of; undefined: of none. */
  sequence?: number | undefined;
}

const CACHED_WEBHOOKS = 2000;

export function createSubscriptionService({
  models,
  activeSettings,
  caches,
  onCommit,
}: Pick<Platform, 'models' | 'activeSettings' | 'caches' | 'onCommit'>) {
  const opened = caches.open<WebhookDocument>({ collections: ['webhooks'], max: CACHED_WEBHOOKS });
  const active = activeSettings<Subscription>({
    collection: 'webhooks',
    feature: 'webhooks',
    load: (organizationId) =>
      models.webhooks
        .find({ organizationId, isActive: true }, 'workspaceId events since')
        .lean<Subscription[]>(),
  });

  return {
    /** Whether any webhook could be told of anything. */
    async subscribes(organizationId: string): Promise<boolean> {
      return (await active.of(organizationId)).length > 0;
    },

    /** Whether any webhook takes an event. */
    async isTaken(organizationId: string, event: string): Promise<boolean> {
      return (await active.of(organizationId)).some(({ events }) => takes(events, event));
    },

    /** The webhooks that take an event, and were there when it happened. */
    async takersOf(organizationId: string, occasion: Occasion): Promise<string[]> {
      const { event, workspaceId, sequence } = occasion;
      return (await active.of(organizationId))
        .filter((one) => takes(one.events, event) && concerns(one, workspaceId))
        .filter((one) => isFollowing(one, sequence))
        .map(({ _id }) => _id.toHexString());
    },

    /** Whom a delivery goes to, as it is now; null: it is paused or gone. */
    async receiverOf(organizationId: string, webhookId: string): Promise<WebhookDocument | null> {
      return opened.get(webhookId, async () => {
        const value = await models.webhooks
          .findOne({ organizationId, _id: webhookId, isActive: true })
          .lean<WebhookDocument>();
        return value && { organizationId, value };
      });
    },

    /** Call it with every change of a webhook. */
    changed(organizationId: string): void {
      active.changed(organizationId);
      onCommit(() => opened.invalidate(organizationId));
    },
  };
}
export type SubscriptionService = ReturnType<typeof createSubscriptionService>;

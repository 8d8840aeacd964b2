// Finds the active webhooks that subscribe to an organisation's events.
import type { Platform } from '../../platform/platform.ts';
import { isFollowing, isEventIncluded } from '../../domain/events/events.ts';
import { isInScope } from '../../domain/identity/workspace-scope.ts';
import type { WebhookDocument } from './webhooks.model.ts';

/** The fields of a webhook that decide which events it receives. */
export type Subscription = Pick<WebhookDocument, '_id' | 'workspaceId' | 'events' | 'since'>;

/** An event's name, workspace and decision. Workspace null: the event concerns the whole organisation. */
interface EventScope {
  event: string;
  workspaceId: string | null;
  /** Sequence of the decision that the event is about; undefined: about none. */
  sequence?: number | undefined;
}

const CACHED_WEBHOOKS = 2000;

export function createSubscriptionService({
  models,
  activeSettings,
  caches,
  onCommit,
}: Pick<Platform, 'models' | 'activeSettings' | 'caches' | 'onCommit'>) {
  const opened = caches.openCache<WebhookDocument>({
    collections: ['webhooks'],
    max: CACHED_WEBHOOKS,
  });
  const active = activeSettings<Subscription>({
    collection: 'webhooks',
    feature: 'webhooks',
    load: (organizationId) =>
      models.webhooks
        .find({ organizationId, isActive: true }, 'workspaceId events since')
        .lean<Subscription[]>(),
  });

  return {
    /** Returns whether the organisation has any active webhook. */
    async hasActiveWebhooks(organizationId: string): Promise<boolean> {
      return (await active.loadSettings(organizationId)).length > 0;
    },

    /** Returns whether any webhook subscribes to the event. */
    async isSubscribed(organizationId: string, event: string): Promise<boolean> {
      return (await active.loadSettings(organizationId)).some(({ events }) =>
        isEventIncluded(events, event),
      );
    },

    /** Returns the webhooks that subscribe to an event, and were active when it happened. */
    async findSubscribers(organizationId: string, scope: EventScope): Promise<string[]> {
      const { event, workspaceId, sequence } = scope;
      return (await active.loadSettings(organizationId))
        .filter((one) => isEventIncluded(one.events, event) && isInScope(one, workspaceId))
        .filter((one) => isFollowing(one, sequence))
        .map(({ _id }) => _id.toHexString());
    },

    /** Returns the receiving webhook in its current state; null: it is paused or gone. */
    async findReceiver(organizationId: string, webhookId: string): Promise<WebhookDocument | null> {
      return opened.get(webhookId, async () => {
        const value = await models.webhooks
          .findOne({ organizationId, _id: webhookId, isActive: true })
          .lean<WebhookDocument>();
        return value && { organizationId, value };
      });
    },

    /** Call it with every change of a webhook. */
    invalidate(organizationId: string): void {
      active.invalidate(organizationId);
      onCommit(() => opened.invalidate(organizationId));
    },
  };
}
export type SubscriptionService = ReturnType<typeof createSubscriptionService>;

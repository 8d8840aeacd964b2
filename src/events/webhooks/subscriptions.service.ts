// Finds the active webhooks that subscribe to an organisation's events.
import { perInstance } from '../../platform/per-instance.ts';
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

const openReceivers = perInstance(({ caches }) =>
  caches.openCache<WebhookDocument>({ collections: ['webhooks'], max: CACHED_WEBHOOKS }),
);

const openActiveWebhooks = perInstance(({ models, activeSettings }) =>
  activeSettings<Subscription>({
    collection: 'webhooks',
    feature: 'webhooks',
    load: (organizationId) =>
      models.webhooks
        .find({ organizationId, isActive: true }, 'workspaceId events since')
        .lean<Subscription[]>(),
  }),
);

/** Returns whether the organisation has any active webhook. */
export async function hasActiveWebhooks(
  platform: Platform,
  organizationId: string,
): Promise<boolean> {
  return (await openActiveWebhooks(platform).loadSettings(organizationId)).length > 0;
}

/** Returns whether any webhook subscribes to the event. */
export async function isSubscribed(
  platform: Platform,
  organizationId: string,
  event: string,
): Promise<boolean> {
  return (await openActiveWebhooks(platform).loadSettings(organizationId)).some(({ events }) =>
    isEventIncluded(events, event),
  );
}

/** Returns the webhooks that subscribe to an event, and were active when it happened. */
export async function findSubscribers(
  platform: Platform,
  organizationId: string,
  scope: EventScope,
): Promise<string[]> {
  const { event, workspaceId, sequence } = scope;
  return (await openActiveWebhooks(platform).loadSettings(organizationId))
    .filter((one) => isEventIncluded(one.events, event) && isInScope(one, workspaceId))
    .filter((one) => isFollowing(one, sequence))
    .map(({ _id }) => _id.toHexString());
}

/** Returns the receiving webhook in its current state; null: it is paused or gone. */
export async function findReceiver(
  platform: Platform,
  organizationId: string,
  webhookId: string,
): Promise<WebhookDocument | null> {
  return openReceivers(platform).get(webhookId, async () => {
    const value = await platform.models.webhooks
      .findOne({ organizationId, _id: webhookId, isActive: true })
      .lean<WebhookDocument>();
    return value && { organizationId, value };
  });
}

/** Call it with every change of a webhook. */
export function invalidateWebhooks(platform: Platform, organizationId: string): void {
  openActiveWebhooks(platform).invalidate(organizationId);
  platform.onCommit(() => openReceivers(platform).invalidate(organizationId));
}

// Who is told of an organisation's events: its active webhooks, read through a cache, so that a decision that nobody waits for costs nothing.
import type { Platform } from '../../composition/platform.ts';
import { takes } from '../../domain/events/events.ts';
import { type Plan, plansWith } from '../../domain/identity/plans.ts';
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
    collections: ['webhooks', 'organizations'],
    max: CACHED_ORGANIZATIONS,
  });

  /** A plan that ended takes its webhooks along. */
  async function mayHave(organizationId: string): Promise<boolean> {
    const organization = await models.organizations
      .findById(organizationId, 'subscription')
      .lean<{ subscription: { plan: Plan } }>();
    return organization !== null && plansWith('webhooks').includes(organization.subscription.plan);
  }

  function loadActive(organizationId: string): Promise<Subscription[]> {
    return models.webhooks
      .find({ organizationId, isActive: true }, 'workspaceId events')
      .lean<Subscription[]>();
  }

  async function activeOf(organizationId: string): Promise<Subscription[]> {
    const found = await active.get(organizationId, async () => {
      const value = (await mayHave(organizationId)) ? await loadActive(organizationId) : [];
      return { organizationId, value };
    });
    return found ?? [];
  }

  return {
    /** Whether any webhook could be told of anything. */
    async subscribes(organizationId: string): Promise<boolean> {
      return (await activeOf(organizationId)).length > 0;
    },

    /** Whether any webhook takes an event. */
    async isTaken(organizationId: string, event: string): Promise<boolean> {
      return (await activeOf(organizationId)).some(({ events }) => takes(events, event));
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

// Creates, lists, changes and removes webhooks; the signing secret is shown once (document 2, section 4.7).
import type { z } from 'zod';
import { toLiteralPattern } from '@assay/patterns';
import type { Platform } from '../../platform/platform.ts';
import { toSigningSecret } from '../../domain/events/standard-webhooks.ts';
import {
  hasReceivers,
  type ReceiverViewer,
  toOrigin,
  maySeeAddresses,
} from '../../domain/dual-control/receiver-addresses.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { createScopeFilter } from '../../domain/identity/workspace-scope.ts';
import type { Page } from '../../domain/page.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError, isDuplicateKey } from '../../errors.ts';
import {
  AFTER,
  findOr404,
  omitUndefined,
  insertOne,
  type Listed,
  listPage,
  requireFewer,
  type DeletedView,
  toDeletedView,
  takeOnly,
} from '../../platform/mongo/queries.ts';
import { readHeadSequence } from '../../ledger/heads/head-sequence.ts';
import { lockOrganization } from '../../identity/organization/memberships/memberships.service.ts';
import { requireWorkspace } from '../../identity/organization/workspaces/workspaces.service.ts';
import type { SubscriptionService } from './subscriptions.service.ts';
import { buildWebhookSecretAad } from './webhook-secret.ts';
import type { WebhookDocument, WebhookStatisticsDocument } from './webhooks.model.ts';
import type {
  webhookChange,
  webhookInput,
  WebhookView,
  NewWebhookView,
} from './webhooks.schemas.ts';

interface Deps {
  subscriptions: SubscriptionService;
}

type Statistics = Pick<
  WebhookStatisticsDocument,
  'deliveryCount' | 'deliverySuccessCount' | 'lastTriggered'
>;

/** Maximum number of webhooks of an organisation, which bounds the deliveries per event. */
const MAX_WEBHOOKS = 100;
const SECRET_BYTES = 32;
const NEVER: Statistics = { deliveryCount: 0, deliverySuccessCount: 0, lastTriggered: null };
const ACTIVE = { switchedOffAt: null, switchedOffReason: null } as const;

/** Run everything but `listWebhooks`, `getWebhook` and `check` in a transaction. */
export function createWebhookService(platform: Platform, deps: Deps) {
  const { models, vault, generateId: newId, generateHex: randomHex, http } = platform;
  const { subscriptions } = deps;

  function findWebhook(tenant: Tenant, _id: string): Promise<WebhookDocument> {
    const where = { ...createScopeFilter(tenant), _id };
    return findOr404(models.webhooks.findOne(where).lean<WebhookDocument>());
  }

  async function loadViews(webhooks: readonly WebhookDocument[]): Promise<WebhookView[]> {
    const [first] = webhooks;
    if (!first) return [];
    const { organizationId } = first;
    const found = await models.webhookStatistics
      .find({ organizationId, _id: { $in: webhooks.map(({ _id }) => _id) } })
      .lean<WebhookStatisticsDocument[]>();
    const byId = new Map(found.map((row) => [row._id.toHexString(), row]));
    return webhooks.map((webhook) => ({
      ...webhook,
      ...(byId.get(webhook._id.toHexString()) ?? NEVER),
      id: webhook._id,
    }));
  }

  const loadView = (webhook: WebhookDocument): Promise<WebhookView> =>
    takeOnly(loadViews([webhook]));

  async function listWithHosts(
    tenant: Tenant,
    search: string | undefined,
    { skip, limit }: Page,
  ): Promise<Listed<WebhookView>> {
    const all = { skip: 0, limit: MAX_WEBHOOKS };
    const { items } = await listPage(models.webhooks, createScopeFilter(tenant), all);
    const shown = items.map((webhook) => ({ ...webhook, url: toOrigin(webhook.url) }));
    const needle = search?.toLowerCase() ?? '';
    const found = shown.filter(({ url, description }) =>
      [url, description].some((text) => text.toLowerCase().includes(needle)),
    );
    return { items: await loadViews(found.slice(skip, skip + limit)), total: found.length };
  }

  /** Takes the lock of the organisation first, so that the count holds. */
  async function requireRoom(organizationId: string): Promise<void> {
    await lockOrganization(platform, organizationId);
    const found = models.webhooks.countDocuments({ organizationId });
    await requireFewer(found, MAX_WEBHOOKS, `An organisation has at most ${MAX_WEBHOOKS} webhooks`);
  }

  return {
    /** Shows and searches full addresses only for callers who may change the webhooks; others see origins. */
    async listWebhooks(
      looker: ReceiverViewer,
      { search, ...page }: Page & { search?: string | undefined },
    ): Promise<Listed<WebhookView>> {
      const { tenant } = looker;
      if (!hasReceivers(looker)) return { items: [], total: 0 };
      if (!maySeeAddresses(looker)) return listWithHosts(tenant, search, page);
      const where = { ...createScopeFilter(tenant), ...(search && { $and: [matchText(search)] }) };
      const { items, total } = await listPage(models.webhooks, where, page);
      return { items: await loadViews(items), total };
    },

    /** @throws AppError `NOT_FOUND` */
    getWebhook: findWebhook,

    /**
     * Resolves the address and refuses forbidden ones; undefined: it does not change.
     * @throws AppError `SSRF_BLOCKED`
     */
    async check(url: string | undefined): Promise<void> {
      if (url !== undefined) await http.check(url);
    },

    /**
     * @throws AppError `NOT_FOUND` for an unknown workspace, `DUPLICATE`, `INVALID_OPERATION` when there are too
     * many
     */
    async create(
      { organizationId, workspaceId: requestWorkspaceId }: Tenant,
      { workspaceId = requestWorkspaceId, ...contents }: z.output<typeof webhookInput>,
    ): Promise<NewWebhookView> {
      await requireWorkspace(platform, organizationId, workspaceId);
      await requireRoom(organizationId);
      const _id = newId();
      const secret = toSigningSecret(randomHex(SECRET_BYTES));
      const fingerprint = computeFingerprint({ ...contents, workspaceId });
      const created = await insertOne(models.webhooks, {
        ...contents,
        _id,
        organizationId,
        workspaceId,
        fingerprint,
        since: await readHeadSequence(models.ledger, organizationId),
        sealedSecret: vault.encrypt(secret, buildWebhookSecretAad(_id)),
      }).catch(refuseDuplicate);
      await insertOne(models.webhookStatistics, { _id, organizationId });
      subscriptions.invalidate(organizationId);
      return { ...created, ...NEVER, id: created._id, signingSecret: secret };
    },

    /** Changes a webhook; switching it on clears its failures. @throws AppError `NOT_FOUND`, `DUPLICATE` */
    async update(
      tenant: Tenant,
      id: string,
      change: z.output<typeof webhookChange>,
    ): Promise<WebhookView> {
      const { organizationId } = tenant;
      const before = await findWebhook(tenant, id);
      const workspaceId = before.workspaceId?.toHexString() ?? null;
      const { url = before.url, events = before.events, isActive } = change;
      const fingerprint = computeFingerprint({ workspaceId, url, events });
      const isSwitchedOn = isActive === true && !before.isActive;
      const since = isSwitchedOn
        ? await readHeadSequence(models.ledger, organizationId)
        : undefined;
      const fields = omitUndefined({ ...change, since });
      const set = { ...fields, fingerprint, ...(isActive && ACTIVE) };
      const where = { organizationId, _id: before._id };
      const after = await findOr404(
        models.webhooks
          .findOneAndUpdate(where, { $set: set }, AFTER)
          .lean<WebhookDocument>()
          .exec()
          .catch(refuseDuplicate),
      );
      if (isActive)
        await models.webhookStatistics.updateOne(where, { $set: { failingSince: null } });
      subscriptions.invalidate(organizationId);
      return loadView(after);
    },

    /** @throws AppError `NOT_FOUND` */
    async remove(tenant: Tenant, id: string): Promise<DeletedView<WebhookDocument['_id']>> {
      const where = { ...createScopeFilter(tenant), _id: id };
      const { _id, organizationId } = await findOr404(
        models.webhooks.findOneAndDelete(where).lean<WebhookDocument>(),
      );
      await models.webhookStatistics.deleteOne({ organizationId, _id });
      subscriptions.invalidate(tenant.organizationId);
      return toDeletedView({ _id });
    },
  };
}
export type WebhookService = ReturnType<typeof createWebhookService>;

function matchText(text: string): object {
  const literal = toLiteralPattern(text);
  return { $or: [{ url: literal }, { description: literal }] };
}

function computeFingerprint({
  workspaceId,
  url,
  events,
}: {
  workspaceId: string | null;
  url: string;
  events: readonly string[];
}): string {
  return sha256Hex(JSON.stringify([workspaceId, new URL(url).href, [...events].sort()]));
}

function refuseDuplicate(error: unknown): never {
  throw isDuplicateKey(error) ? new AppError('DUPLICATE') : error;
}

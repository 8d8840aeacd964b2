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
import { buildWebhookSecretAad } from './webhook-secret.ts';
import type { WebhookDocument, WebhookStatisticsDocument } from './webhooks.model.ts';
import type {
  webhookChange,
  webhookInput,
  WebhookView,
  NewWebhookView,
} from './webhooks.schemas.ts';
import type { PlatformContext, Context } from '../../platform/context.ts';
import { invalidateWebhooks } from './subscriptions.service.ts';

type Statistics = Pick<
  WebhookStatisticsDocument,
  'deliveryCount' | 'deliverySuccessCount' | 'lastTriggered'
>;

/** Maximum number of webhooks of an organisation, which bounds the deliveries per event. */
const MAX_WEBHOOKS = 100;
const SECRET_BYTES = 32;
const NEVER: Statistics = { deliveryCount: 0, deliverySuccessCount: 0, lastTriggered: null };
const ACTIVE = { switchedOffAt: null, switchedOffReason: null } as const;

/** Shows and searches full addresses only for callers who may change the webhooks; others see origins. */
export async function listWebhooks(
  ctx: ReceiverViewer & PlatformContext,
  { search, ...page }: Page & { search?: string | undefined },
): Promise<Listed<WebhookView>> {
  const { platform, tenant } = ctx;
  if (!hasReceivers(ctx)) return { items: [], total: 0 };
  if (!maySeeAddresses(ctx)) return listWithHosts(ctx, search, page);
  const where = { ...createScopeFilter(tenant), ...(search && { $and: [matchText(search)] }) };
  const { items, total } = await listPage(platform.models.webhooks, where, page);
  return { items: await loadViews(platform, items), total };
}

/** @throws AppError `NOT_FOUND` */
export function getWebhook({ platform, tenant }: Context, _id: string): Promise<WebhookDocument> {
  const where = { ...createScopeFilter(tenant), _id };
  return findOr404(platform.models.webhooks.findOne(where).lean<WebhookDocument>());
}

/**
 * Resolves the address and refuses forbidden ones; undefined: it does not change.
 * @throws AppError `SSRF_BLOCKED`
 */
export async function checkAddress({ http }: Platform, url: string | undefined): Promise<void> {
  if (url !== undefined) await http.check(url);
}

/**
 * @throws AppError `NOT_FOUND` for an unknown workspace, `DUPLICATE`, `INVALID_OPERATION` when there are too
 * many
 */
export async function createWebhook(
  { platform, tenant: { organizationId, workspaceId: requestWorkspaceId } }: Context,
  { workspaceId = requestWorkspaceId, ...contents }: z.output<typeof webhookInput>,
): Promise<NewWebhookView> {
  await requireWorkspace(platform, organizationId, workspaceId);
  await requireRoom(platform, organizationId);
  const _id = platform.generateId();
  const secret = toSigningSecret(platform.generateHex(SECRET_BYTES));
  const fingerprint = computeFingerprint({ ...contents, workspaceId });
  const created = await insertOne(platform.models.webhooks, {
    ...contents,
    _id,
    organizationId,
    workspaceId,
    fingerprint,
    since: await readHeadSequence(platform.models.ledger, organizationId),
    sealedSecret: platform.vault.encrypt(secret, buildWebhookSecretAad(_id)),
  }).catch(refuseDuplicate);
  await insertOne(platform.models.webhookStatistics, { _id, organizationId });
  invalidateWebhooks(platform, organizationId);
  return { ...created, ...NEVER, id: created._id, signingSecret: secret };
}

/** Changes a webhook; switching it on clears its failures. @throws AppError `NOT_FOUND`, `DUPLICATE` */
export async function updateWebhook(
  ctx: Context,
  id: string,
  change: z.output<typeof webhookChange>,
): Promise<WebhookView> {
  const { platform, tenant } = ctx;
  const { models } = platform;
  const { organizationId } = tenant;
  const { isActive } = change;
  const before = await getWebhook(ctx, id);
  const fingerprint = computeChanged(before, change);
  const isSwitchedOn = isActive === true && !before.isActive;
  const since = isSwitchedOn ? await readHeadSequence(models.ledger, organizationId) : undefined;
  const set = { ...omitUndefined({ ...change, since }), fingerprint, ...(isActive && ACTIVE) };
  const where = { organizationId, _id: before._id };
  const query = models.webhooks.findOneAndUpdate(where, { $set: set }, AFTER);
  const after = await findOr404(query.lean<WebhookDocument>().exec().catch(refuseDuplicate));
  if (isActive) await models.webhookStatistics.updateOne(where, { $set: { failingSince: null } });
  invalidateWebhooks(platform, organizationId);
  return loadView(platform, after);
}

/** @throws AppError `NOT_FOUND` */
export async function removeWebhook(
  { platform, tenant }: Context,
  id: string,
): Promise<DeletedView<WebhookDocument['_id']>> {
  const where = { ...createScopeFilter(tenant), _id: id };
  const { _id, organizationId } = await findOr404(
    platform.models.webhooks.findOneAndDelete(where).lean<WebhookDocument>(),
  );
  await platform.models.webhookStatistics.deleteOne({ organizationId, _id });
  invalidateWebhooks(platform, tenant.organizationId);
  return toDeletedView({ _id });
}

async function loadViews(
  { models }: Platform,
  webhooks: readonly WebhookDocument[],
): Promise<WebhookView[]> {
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

const loadView = (platform: Platform, webhook: WebhookDocument): Promise<WebhookView> =>
  takeOnly(loadViews(platform, [webhook]));

async function listWithHosts(
  { platform, tenant }: Context,
  search: string | undefined,
  { skip, limit }: Page,
): Promise<Listed<WebhookView>> {
  const all = { skip: 0, limit: MAX_WEBHOOKS };
  const { items } = await listPage(platform.models.webhooks, createScopeFilter(tenant), all);
  const shown = items.map((webhook) => ({ ...webhook, url: toOrigin(webhook.url) }));
  const needle = search?.toLowerCase() ?? '';
  const found = shown.filter(({ url, description }) =>
    [url, description].some((text) => text.toLowerCase().includes(needle)),
  );
  return { items: await loadViews(platform, found.slice(skip, skip + limit)), total: found.length };
}

/** Takes the lock of the organisation first, so that the count holds. */
async function requireRoom(platform: Platform, organizationId: string): Promise<void> {
  await lockOrganization(platform, organizationId);
  const found = platform.models.webhooks.countDocuments({ organizationId });
  await requireFewer(found, MAX_WEBHOOKS, `An organisation has at most ${MAX_WEBHOOKS} webhooks`);
}

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

/** The fingerprint after a change. */
function computeChanged(
  before: WebhookDocument,
  { url = before.url, events = before.events }: z.output<typeof webhookChange>,
): string {
  const workspaceId = before.workspaceId?.toHexString() ?? null;
  return computeFingerprint({ workspaceId, url, events });
}

function refuseDuplicate(error: unknown): never {
  throw isDuplicateKey(error) ? new AppError('DUPLICATE') : error;
}

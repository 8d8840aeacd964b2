// Audit bundles: a period of the ledger with a signed manifest, which pins its last entry and so all (formats.md).
import type { Types } from 'mongoose';
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import {
  toManifestText,
  toOmissionsText,
  createVerifyNote,
} from '../../domain/audit-bundle/manifest.ts';
import type { Page } from '../../domain/page.ts';
import { signText } from '../../domain/provenance/jws.ts';
import { AppError } from '../../errors.ts';
import { type AnyFile, createTarGz } from '../../platform/archive/tar-gz.ts';
import { findOr404, insertOne, type Listed, listPage } from '../../platform/mongo/queries.ts';
import { listPublicKeys } from '../c2pa-kms/key-registry.service.ts';
import { loadActiveKey } from '../c2pa-kms/signer.service.ts';
import { findRange, prepareText } from '../hash-chain/bundles.service.ts';
import { verifyLedger } from '../hash-chain/chain-verification.service.ts';
import type { AuditBundleDocument } from './audit-bundles.model.ts';
import type { auditBundleInput } from './audit-bundles.schemas.ts';
import type { Context, UserContext } from '../../platform/context.ts';
type SignedBundle = Omit<
  AuditBundleDocument,
  '_id' | 'organizationId' | 'createdBy' | 'createdAt' | 'updatedAt'
> & { _id: string };
interface Download {
  filename: string;
  body: AsyncIterable<Uint8Array>;
}
type AuditBundle = AuditBundleDocument & { id: Types.ObjectId };

const MANIFEST_TYPE = 'assay-audit-bundle+jws';
const OMISSIONS_TYPE = 'assay-audit-bundle-omissions+jws';

/**
 * Runs before the transaction, since a key management service may be called.
 * @throws AppError `VALIDATION_ERROR`, `INVALID_OPERATION`, `BUNDLE_PERIOD_TOO_LARGE`, `HASH_CHAIN_BROKEN`,
 * `CONFIG_ERROR`
 */
export async function signBundle(
  ctx: Context,
  { from, to, disclose: disclosed }: z.output<typeof auditBundleInput>,
): Promise<SignedBundle> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const range = await resolveRange(platform, organizationId, { from, to });
  await requireIntact(ctx, range.lastSequence);
  const key = await loadActiveKey(platform);
  const bundleId = platform.generateId();
  const dates = {
    createdAt: platform.clock.now().toISOString(),
    from: from.toISOString(),
    to: to.toISOString(),
  };
  const facts = Object.assign({ bundleId, organizationId, disclosed }, dates, range);
  const manifest = toManifestText(facts);
  const signature = await signText(manifest, MANIFEST_TYPE, key);
  const signed = { manifest, signature, signerKid: key.kid };
  return Object.assign({ _id: bundleId, from, to, disclosed }, range, signed);
}

export async function storeBundle(
  { platform, tenant: { organizationId }, user: { userId } }: UserContext,
  signed: SignedBundle,
): Promise<AuditBundle> {
  const row = { ...signed, organizationId, createdBy: userId };
  return toBundle(await insertOne(platform.models.auditBundles, row));
}

export async function listBundles(
  { platform, tenant: { organizationId } }: Context,
  page: Page,
): Promise<Listed<AuditBundle>> {
  const { items, total } = await listPage(platform.models.auditBundles, { organizationId }, page);
  return { items: items.map(toBundle), total };
}

export async function loadBundle(
  { platform, tenant: { organizationId } }: Context,
  id: string,
): Promise<AuditBundle> {
  const query = platform.models.auditBundles.findOne({ organizationId, _id: id });
  return toBundle(await findOr404(query.lean<AuditBundleDocument>()));
}

/** @throws AppError `NOT_FOUND`, `CONFIG_ERROR` when values were erased and no key can sign that they were */
export async function openDownload(ctx: Context, id: string): Promise<Download> {
  const { platform, tenant } = ctx;
  const bundle = await loadBundle(ctx, id);
  const files = [
    ...(await describeBundle(platform, bundle)),
    ...(await writeLedger(platform, bundle, tenant.signal)),
  ];
  return {
    filename: `assay-audit-bundle-${id}.tar.gz`,
    body: createTarGz(files, bundle.createdAt),
  };
}

/** @throws AppError `VALIDATION_ERROR`, `INVALID_OPERATION` without entries, `BUNDLE_PERIOD_TOO_LARGE` */
async function resolveRange(
  platform: Platform,
  organizationId: string,
  period: { from: Date; to: Date },
) {
  const { models, config } = platform;
  const exported = { organizationId, chain: 'ledger' } as const;
  const { first: firstSequence, last: lastSequence } = await findRange(platform, exported, period);
  const entries = lastSequence - firstSequence + 1;
  const max = config.ASSAY_AUDIT_BUNDLE_MAX;
  if (entries > max)
    throw new AppError('BUNDLE_PERIOD_TOO_LARGE', `${entries} entries; at most ${max}`);
  if (entries < 1) throw new AppError('INVALID_OPERATION', 'There is no entry in the period');
  const query = models.ledger.findOne({ organizationId, sequence: lastSequence }, 'chainHash');
  const { chainHash: lastChainHash } = await findOr404(query.lean<{ chainHash: string }>());
  return { firstSequence, lastSequence, lastChainHash, entries };
}

/** Requires an intact chain up to the end of the period. @throws AppError `HASH_CHAIN_BROKEN`, with the place */
async function requireIntact(ctx: Context, lastSequence: number): Promise<void> {
  const found = await verifyLedger(ctx);
  if (found.verified || found.lastValidSequence >= lastSequence) return;
  const { brokenAtSequence, brokenReason, brokenDetail } = found;
  throw new AppError(
    'HASH_CHAIN_BROKEN',
    `The chain is broken at ${brokenAtSequence}: ${brokenDetail}; nothing was signed`,
    { data: { brokenAtSequence, brokenReason } },
  );
}

/** The files that describe the bundle and how to verify it. */
async function describeBundle(platform: Platform, bundle: AuditBundle): Promise<AnyFile[]> {
  const { manifest, signature, signerKid: kid, firstSequence, lastSequence } = bundle;
  const bundleId = bundle._id.toHexString();
  const organizationId = bundle.organizationId.toHexString();
  const facts = { bundleId, organizationId, firstSequence, lastSequence };
  const keySet = { keys: await listPublicKeys(platform) };
  return [
    toFile('manifest.json', `${JSON.stringify(JSON.parse(manifest), null, 2)}\n`),
    toFile('manifest.jws', signature),
    toFile('keys.json', `${JSON.stringify(keySet, null, 2)}\n`),
    toFile('VERIFY.md', createVerifyNote(facts, { kid, publicUrl: platform.publicUrl })),
  ];
}

/** The ledger, and a signed statement of the values erased since. */
async function writeLedger(
  platform: Platform,
  bundle: AuditBundle,
  signal: AbortSignal | undefined,
): Promise<AnyFile[]> {
  const { organizationId, firstSequence: first, lastSequence: last, disclosed } = bundle;
  const text = await prepareText(
    platform,
    { organizationId: organizationId.toHexString(), chain: 'ledger' },
    { first, last, names: disclosed },
  );
  const { bytes: size, omissions } = await text.measure(signal);
  const ledger = { name: 'ledger.json', size, pieces: text.pieces() };
  if (omissions === null) return [ledger];
  const omitted = toOmissionsText(bundle._id.toHexString(), omissions);
  const signature = await signText(omitted, OMISSIONS_TYPE, await loadActiveKey(platform));
  return [ledger, toFile('omissions.jws', signature)];
}

function toBundle(bundle: AuditBundleDocument): AuditBundle {
  return Object.assign({ id: bundle._id }, bundle);
}

const toFile = (name: string, text: string) => ({ name, content: Buffer.from(text) });

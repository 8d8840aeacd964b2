// Audit bundles: a period of the ledger with a signed manifest, which pins its last entry and so all (formats.md).
import type { Types } from 'mongoose';
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import {
  toManifestText,
  toOmissionsText,
  createVerifyNote,
} from '../../domain/audit-bundle/manifest.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { signText } from '../../domain/provenance/jws.ts';
import { AppError } from '../../errors.ts';
import type { AnyFile, TarGz } from '../../platform/archive/tar-gz.ts';
import { findOr404, insertOne, type Listed, listPage } from '../../platform/mongo/queries.ts';
import { listPublicKeys } from '../c2pa-kms/key-registry.service.ts';
import { loadActiveKey } from '../c2pa-kms/signer.service.ts';
import type { BundleService } from '../hash-chain/bundles.service.ts';
import type { ChainVerificationService } from '../hash-chain/chain-verification.service.ts';
import type { AuditBundleDocument } from './audit-bundles.model.ts';
import type { auditBundleInput } from './audit-bundles.schemas.ts';

interface Deps {
  bundles: BundleService;
  verification: Pick<ChainVerificationService, 'verify'>;
  createTarGz: TarGz;
}
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

export function createAuditBundleService(platform: Platform, deps: Deps) {
  const { models, clock, config, generateId: newId, publicUrl } = platform;
  const { bundles, verification, createTarGz } = deps;

  async function findBundle({ organizationId }: Tenant, id: string): Promise<AuditBundle> {
    const query = models.auditBundles.findOne({ organizationId, _id: id });
    return toBundle(await findOr404(query.lean<AuditBundleDocument>()));
  }

  /** @throws AppError `VALIDATION_ERROR`, `INVALID_OPERATION` without entries, `BUNDLE_PERIOD_TOO_LARGE` */
  async function resolveRange(organizationId: string, period: { from: Date; to: Date }) {
    const { first: firstSequence, last: lastSequence } = await bundles.findRange(
      organizationId,
      period,
    );
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
  async function requireIntact(
    { organizationId, signal }: Tenant,
    lastSequence: number,
  ): Promise<void> {
    const found = await verification.verify({ organizationId, ...(signal && { signal }) });
    if (found.verified || found.lastValidSequence >= lastSequence) return;
    const { brokenAtSequence, brokenReason, brokenDetail } = found;
    throw new AppError(
      'HASH_CHAIN_BROKEN',
      `The chain is broken at ${brokenAtSequence}: ${brokenDetail}; nothing was signed`,
      { data: { brokenAtSequence, brokenReason } },
    );
  }

  /** The files that describe the bundle and how to verify it. */
  async function describe(bundle: AuditBundle): Promise<AnyFile[]> {
    const { manifest, signature, signerKid: kid, firstSequence, lastSequence } = bundle;
    const bundleId = bundle._id.toHexString();
    const organizationId = bundle.organizationId.toHexString();
    const facts = { bundleId, organizationId, firstSequence, lastSequence };
    const keySet = { keys: await listPublicKeys(platform) };
    return [
      toFile('manifest.json', `${JSON.stringify(JSON.parse(manifest), null, 2)}\n`),
      toFile('manifest.jws', signature),
      toFile('keys.json', `${JSON.stringify(keySet, null, 2)}\n`),
      toFile('VERIFY.md', createVerifyNote(facts, { kid, publicUrl })),
    ];
  }

  /** The ledger, and a signed statement of the values erased since. */
  async function writeLedger(
    bundle: AuditBundle,
    signal: AbortSignal | undefined,
  ): Promise<AnyFile[]> {
    const { organizationId, firstSequence: first, lastSequence: last, disclosed } = bundle;
    const text = await bundles.prepareText(
      organizationId.toHexString(),
      { first, last },
      disclosed,
    );
    const { bytes: size, omissions } = await text.measure(signal);
    const ledger = { name: 'ledger.json', size, pieces: text.pieces() };
    if (omissions === null) return [ledger];
    const omitted = toOmissionsText(bundle._id.toHexString(), omissions);
    const signature = await signText(omitted, OMISSIONS_TYPE, await loadActiveKey(platform));
    return [ledger, toFile('omissions.jws', signature)];
  }

  return {
    /**
     * Runs before the transaction, since a key management service may be called.
     * @throws AppError `VALIDATION_ERROR`, `INVALID_OPERATION`, `BUNDLE_PERIOD_TOO_LARGE`, `HASH_CHAIN_BROKEN`,
     * `CONFIG_ERROR`
     */
    async signBundle(
      tenant: Tenant,
      { from, to, disclose: disclosed }: z.output<typeof auditBundleInput>,
    ): Promise<SignedBundle> {
      const { organizationId } = tenant;
      const range = await resolveRange(organizationId, { from, to });
      await requireIntact(tenant, range.lastSequence);
      const key = await loadActiveKey(platform);
      const bundleId = newId();
      const dates = {
        createdAt: clock.now().toISOString(),
        from: from.toISOString(),
        to: to.toISOString(),
      };
      const facts = Object.assign({ bundleId, organizationId, disclosed }, dates, range);
      const manifest = toManifestText(facts);
      const signature = await signText(manifest, MANIFEST_TYPE, key);
      const signed = { manifest, signature, signerKid: key.kid };
      return Object.assign({ _id: bundleId, from, to, disclosed }, range, signed);
    },

    async storeBundle(
      { organizationId }: Tenant,
      { userId }: User,
      signed: SignedBundle,
    ): Promise<AuditBundle> {
      const row = { ...signed, organizationId, createdBy: userId };
      return toBundle(await insertOne(models.auditBundles, row));
    },

    async listBundles({ organizationId }: Tenant, page: Page): Promise<Listed<AuditBundle>> {
      const { items, total } = await listPage(models.auditBundles, { organizationId }, page);
      return { items: items.map(toBundle), total };
    },

    loadBundle: findBundle,

    /** @throws AppError `NOT_FOUND`, `CONFIG_ERROR` when values were erased and no key can sign that they were */
    async openDownload(tenant: Tenant, id: string): Promise<Download> {
      const bundle = await findBundle(tenant, id);
      const files = [...(await describe(bundle)), ...(await writeLedger(bundle, tenant.signal))];
      return {
        filename: `assay-audit-bundle-${id}.tar.gz`,
        body: createTarGz(files, bundle.createdAt),
      };
    },
  };
}
export type AuditBundleService = ReturnType<typeof createAuditBundleService>;

function toBundle(bundle: AuditBundleDocument): AuditBundle {
  return Object.assign({ id: bundle._id }, bundle);
}

const toFile = (name: string, text: string) => ({ name, content: Buffer.from(text) });

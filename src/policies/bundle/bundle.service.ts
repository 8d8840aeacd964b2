// Exports policies as a bundle: JSON and rule-language source, with a signed manifest (document 2, section 4.2).
import { canonicalize } from '@assay/json';
import { printPolicy } from '@assay/policy/language';
import type { Context } from '../../platform/context.ts';
import { signText } from '../../domain/provenance/jws.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError } from '../../errors.ts';
import { type ArchivedFile, createTarGz } from '../../platform/archive/tar-gz.ts';
import { readCursor, READ_MAX_MS } from '../../platform/mongo/queries.ts';
import {
  type ApprovalRecord,
  listApprovalsByPolicy,
} from '../approvals/approval-history.service.ts';
import { toPolicyContents, type PolicyDocument } from '../policies.model.ts';
import { findExistingKey } from '../../evidence/c2pa-kms/signer.service.ts';

/** Maximum size of a bundle, which is held in memory before it is sent. */
const BUNDLE_BYTES = 16 * 1024 * 1024;
const BUNDLE_POLICIES = 500;
/** Number of policies read at a time; each may have a megabyte. */
const BATCH = 16;

interface Manifest {
  format: 'assay-policy-bundle';
  version: 1;
  organizationId: string;
  exportedAt: Date;
  policies: number;
  files: { name: string; bytes: number; sha256: string }[];
  digest: string;
  /** Null: the installation has no signing key. */
  signedBy: string | null;
}

/** The `typ` of the signature, so that it cannot be presented as another kind. */
const SIGNATURE_TYPE = 'assay-policy-bundle+jws';

interface Download {
  filename: string;
  body: AsyncIterable<Uint8Array>;
  digest: string;
  policies: number;
  signedBy: string | null;
}

/** @throws AppError `INVALID_OPERATION` for more than fits */
export async function describeBundle(ctx: Context): Promise<Manifest> {
  return (await buildBundle(ctx)).manifest;
}

/** @throws AppError `INVALID_OPERATION` for more than fits */
export async function exportBundle(ctx: Context): Promise<Download> {
  const { manifest, files } = await buildBundle(ctx);
  const { exportedAt, digest, policies } = manifest;
  const { signedBy, signature } = await signManifest(ctx, manifest);
  const signed = { ...manifest, signedBy, signature };
  const content = Buffer.from(`${JSON.stringify(signed, null, 2)}\n`);
  const body = createTarGz([{ name: 'manifest.json', content }, ...files], exportedAt);
  const filename = `assay-policies-${exportedAt.toISOString().slice(0, 10)}.tar.gz`;
  return { filename, body, digest, policies, signedBy };
}

/** @throws AppError `INVALID_OPERATION` for more than fits */
async function buildBundle(ctx: Context): Promise<{ manifest: Manifest; files: ArchivedFile[] }> {
  const { platform, tenant } = ctx;
  const files: ArchivedFile[] = [];
  const bundled: PolicyDocument['_id'][] = [];
  let [policies, bytes] = [0, 0];
  for await (const policy of readCursor(openPolicies(ctx), tenant.signal)) {
    const policyFiles = toFiles(policy);
    files.push(...policyFiles);
    policies += 1;
    for (const { content } of policyFiles) bytes += content.length;
    bundled.push(policy._id);
    if (policies > BUNDLE_POLICIES || bytes > BUNDLE_BYTES) throw createLimitError();
  }
  files.push(...toApprovalFiles(await listApprovalsByPolicy(ctx, bundled)));
  const listed = listFiles(files);
  const manifest: Manifest = {
    format: 'assay-policy-bundle',
    version: 1,
    organizationId: tenant.organizationId,
    exportedAt: platform.clock.now(),
    policies,
    ...listed,
    signedBy: (await findExistingKey(platform))?.kid ?? null,
  };
  return { manifest, files };
}

function openPolicies({ platform, tenant: { organizationId, workspaceId } }: Context) {
  const workspaceFilter = workspaceId === null ? {} : { workspaceId };
  const options = { sort: { createdAt: -1, _id: -1 }, maxTimeMS: READ_MAX_MS } as const;
  return platform.models.policies
    .find({ organizationId, deletedAt: null, ...workspaceFilter }, null, options)
    .lean<PolicyDocument>()
    .cursor({ batchSize: BATCH });
}

/** Signs format, organisation, time and digest as a compact JWS; null without a key. */
async function signManifest(
  { platform }: Context,
  { format, version, organizationId, exportedAt, digest }: Manifest,
): Promise<{ signedBy: string | null; signature: string | null }> {
  const key = await findExistingKey(platform);
  if (!key) return { signedBy: null, signature: null };
  const at = exportedAt.toISOString();
  const text = canonicalize({ format, version, organizationId, exportedAt: at, digest });
  return { signedBy: key.kid, signature: await signText(text, SIGNATURE_TYPE, key) };
}

function toFiles(policy: PolicyDocument): ArchivedFile[] {
  const contents = toPolicyContents(policy);
  const { revision } = policy;
  const [id, workspaceId] = [String(policy._id), String(policy.workspaceId)];
  const json = JSON.stringify({ id, workspaceId, revision, ...contents }, null, 2);
  return [
    { name: `policies/${id}.json`, content: Buffer.from(`${json}\n`) },
    { name: `policies/${id}.adl`, content: Buffer.from(printPolicy(contents)) },
  ];
}

/** The approvals as one file; none when no policy was changed by approval. */
function toApprovalFiles(approvals: readonly ApprovalRecord[]): ArchivedFile[] {
  if (approvals.length === 0) return [];
  const json = JSON.stringify(approvals, null, 2);
  return [{ name: 'approvals.json', content: Buffer.from(`${json}\n`) }];
}

function listFiles(bundled: readonly ArchivedFile[]): Pick<Manifest, 'files' | 'digest'> {
  const files = bundled.map(({ name, content }) => {
    return { name, bytes: content.length, sha256: sha256Hex(content) };
  });
  return { files, digest: sha256Hex(canonicalize(files)) };
}

function createLimitError(): AppError {
  const message = `A bundle holds at most ${BUNDLE_POLICIES} policies and ${BUNDLE_BYTES} bytes; choose a workspace`;
  return new AppError('INVALID_OPERATION', message);
}

// Signed statements about entries (in-toto in DSSE), for programs of supply chains.
import { formatEntryStatement, signDsse } from '../../../domain/provenance/dsse.ts';
import type { LedgerEntryDocument } from '../../../ledger/ledger.model.ts';
import { findOr404 } from '../../../platform/mongo/queries.ts';
import { loadActiveKey } from '../../c2pa-kms/signer.service.ts';
import { writeProofFile } from './proofs.service.ts';
import type { WorkContext } from '../../../platform/context.ts';

/**
 * Signs what an entry says, its receipt and its proof with the key of manifests.
 * @throws AppError `NOT_FOUND`, `CONFIG_ERROR`
 */
export async function signStatement(
  ctx: WorkContext,
  anchorId: string,
  sequence: number,
): Promise<string> {
  const {
    platform,
    tenant: { organizationId },
  } = ctx;
  const part = { sequence, isStamped: false };
  const proof = await writeProofFile(ctx, anchorId, part);
  const entry = await findOr404(
    platform.models.ledger.findOne({ organizationId, sequence }).lean<LedgerEntryDocument>(),
  );
  const { prevHash, payloadDigest, chainHash, view } = entry;
  // Every entry of a ledger has one; those of the audit chain have none.
  const traceId = entry.traceId ?? '';
  const createdAt = entry.createdAt.toISOString();
  const hashes = { prevHash, payloadDigest, chainHash };
  const facts = { ...hashes, sequence, traceId, createdAt, view, proof };
  return signDsse(formatEntryStatement(facts), await loadActiveKey(platform));
}

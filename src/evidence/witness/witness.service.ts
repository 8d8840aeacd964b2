// Compares chain heads seen by external witnesses with ours, so that a forked chain is detected (security.md).
import type { z } from 'zod';
import { canonicalize } from '@assay/json';
import type { Platform } from '../../platform/platform.ts';
import { signText } from '../../domain/provenance/jws.ts';
import { authenticateMessage, type MessageRefusal } from '../../domain/signed-message.ts';
import { AppError, type Code } from '../../errors.ts';
import { findFirstInChain, NEWEST_MAX, SEQUENCES } from '../../ledger/chains.ts';
import type { LedgerEntryDocument } from '../../ledger/ledger.model.ts';
import { loadActiveKey } from '../c2pa-kms/signer.service.ts';
import type { gossipInput, HeadComparison } from './witness.schemas.ts';

type Gossip = z.output<typeof gossipInput>;
type Entry = Pick<LedgerEntryDocument, 'sequence' | 'chainHash' | 'createdAt'>;

interface Head {
  organizationId: string;
  sequence: number;
  chainHash: string;
  at: Date;
}

const REFUSED: Readonly<Record<MessageRefusal, Code>> = {
  'malformed time': 'INVALID_TIMESTAMP',
  'wrong signature': 'WITNESS_AUTH_FAILED',
  'outside the window': 'WITNESS_AUTH_FAILED',
};
const MINUTE_MS = 60_000;
const STATEMENT_TYPE = 'assay-chain-head+jws';
const ENTRY = 'sequence chainHash createdAt';

/**
 * A message may be repeated, since nothing is written.
 * @throws AppError `INVALID_TIMESTAMP`, `WITNESS_AUTH_FAILED`, `CONFIG_ERROR` when no key can sign
 */
export async function compareHeads(platform: Platform, message: Gossip): Promise<HeadComparison> {
  const judged = authenticateMessage(message, {
    keys: platform.config.ASSAY_WITNESS_KEYS ?? new Map<string, never>(),
    windowMs: platform.config.ASSAY_REPLAY_WINDOW_MINUTES * MINUTE_MS,
    now: platform.clock.now().getTime(),
  });
  if ('refusal' in judged) throw new AppError(REFUSED[judged.refusal]);
  const { payload, keyId: witness } = message;
  const { organizationId, sequence, chainHash } = payload;
  const agrees = await compareHash(platform, payload);
  platform.metrics.witnessed.inc({ agrees: String(agrees ?? 'unknown') });
  const seen = { witness, organizationId, sequence, chainHash };
  if (agrees === false)
    platform.logger.error(
      seen,
      'a witness has seen another chain: what it saw is not what is stored',
    );
  const head = await findHead(platform, organizationId);
  return { agrees, head, statement: head && (await signHead(platform, head)) };
}

/** Null: the chain has no such sequence. */
async function compareHash(
  { models }: Platform,
  { organizationId, sequence, chainHash }: Gossip['payload'],
) {
  const entry = await models.ledger.findOne({ organizationId, sequence }, ENTRY).lean<Entry>();
  return entry && entry.chainHash === chainHash;
}

async function findHead({ models }: Platform, organizationId: string): Promise<Head | null> {
  const newest = models.ledger
    .find({ organizationId, sequence: SEQUENCES }, ENTRY)
    .sort({ sequence: -1 })
    .limit(NEWEST_MAX);
  const entry = findFirstInChain(await newest.lean<Entry[]>());
  if (!entry) return null;
  const { sequence, chainHash, createdAt: at } = entry;
  return { organizationId, sequence, chainHash, at };
}

/** Signs the head: two signed hashes for one sequence would prove that there are two chains. */
async function signHead(platform: Platform, head: Head): Promise<string> {
  const { organizationId, sequence, chainHash, at } = head;
  const facts = { organizationId, sequence, chainHash, at: at.toISOString() };
  return signText(canonicalize(facts), STATEMENT_TYPE, await loadActiveKey(platform));
}

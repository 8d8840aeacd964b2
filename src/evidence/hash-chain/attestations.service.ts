// Attests records beside the decisions: queued with the change, appended to the ledger exactly once within seconds.
import type { Json } from '@assay/json';
import type { Platform } from '../../platform/platform.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { commitValues } from '../../domain/record/commitments.ts';
import { deriveAttestedId } from '../../domain/record/payload-members.ts';
import type { AttestedFacts } from '../../ledger/amend/attestations.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import { ATTESTATION_TOPIC } from './attestation-topic.ts';

/** Length of an idempotency key of the ledger. */
const KEY_BYTES = 16;

interface Payload {
  attested: AttestedFacts;
  values: Readonly<Record<string, Json | undefined>>;
}

/**
 * Queues the attestation of a record, in the transaction of its change. `values` are committed to, since an entry
 * holds no text that a person wrote; null and absent ones are left out.
 */
export function queueAttestation(
  { outbox }: Platform,
  attested: AttestedFacts,
  values: Payload['values'] = {},
): Promise<void> {
  const { organizationId, kind } = attested;
  const subject = deriveAttestedId(kind, attested);
  const payload = { attested, values };
  const lane = sha256Hex(`${organizationId} ${subject}`);
  return outbox.queue({ organizationId, topic: ATTESTATION_TOPIC, lane, subject, payload });
}

/** Appends the attestation of an outbox row; a repeated delivery appends nothing. */
export async function deliverAttestation(
  { ledger, draw16Bytes }: Platform,
  row: OutboxDocument,
): Promise<void> {
  const { attested, values } = row.payload as unknown as Payload;
  const once = Buffer.from(sha256Hex(row._id.toHexString()), 'hex').subarray(0, KEY_BYTES);
  await ledger.attestations.append(attested, commitValues(values, draw16Bytes), once);
}

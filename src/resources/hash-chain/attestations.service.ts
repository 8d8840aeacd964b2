// Attestations of records that Assay keeps beside the decisions: queued with the change, appended to the ledger within seconds, once.
import type { Platform } from '../../composition/platform.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { sealValues } from '../../domain/record/commitments.ts';
import type { Json } from '../../domain/record/json.ts';
import { attestedId } from '../../domain/record/payload-members.ts';
import type { Attested } from '../../ledger/amend/attestations.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import { ATTESTATION_TOPIC } from './attestation-topic.ts';

/** What an idempotency key of the ledger has. */
const KEY_BYTES = 16;

interface Payload {
  attested: Attested;
  values: Readonly<Record<string, Json | undefined>>;
}

export function createAttestationService({
  outbox,
  ledger,
  random16,
}: Pick<Platform, 'outbox' | 'ledger' | 'random16'>) {
  return {
    /**
     * In the transaction of the change: its record is attested by an entry of the decision ledger. `values` are committed to, since
     * nothing that a person wrote stands in an entry; null and absent ones are left out.
     */
    queue(attested: Attested, values: Payload['values'] = {}): Promise<void> {
      const { organizationId, kind } = attested;
      const subject = attestedId(kind, attested);
      const payload = { attested, values };
      const lane = sha256Hex(`${organizationId} ${subject}`);
      return outbox.queue({ organizationId, topic: ATTESTATION_TOPIC, lane, subject, payload });
    },

    /** Those of one record share a lane: they are appended in the order of their changes. */
    isOrdered: true,

    /** Appends the attestation of an outbox row; a repeated delivery appends nothing. */
    async deliver(row: OutboxDocument): Promise<void> {
      const { attested, values } = row.payload as unknown as Payload;
      const once = Buffer.from(sha256Hex(row._id.toHexString()), 'hex').subarray(0, KEY_BYTES);
      await ledger.attestations.append(attested, sealValues(values, random16), once);
    },
  };
}
export type AttestationService = ReturnType<typeof createAttestationService>;

// Attestations of records that Assay keeps beside the decisions: queued with the change, appended to the ledger within seconds, once.
import type { Platform } from '../../composition/platform.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { sealValues } from '../../domain/record/commitments.ts';
import type { Json } from '../../domain/record/json.ts';
import { attestedId } from '../../domain/record/payload-members.ts';
import type { Attested } from '../../ledger/amend/attestations.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';

export const ATTESTATION_TOPIC = 'attestation';
/** What an idempotency key of the ledger has. */
const KEY_BYTES = 16;

interface Payload {
  attested: Attested;
  values: Readonly<Record<string, Json | undefined>>;
}

export function createAttestationService({
  models,
  outbox,
  ledger,
  random16,
}: Pick<Platform, 'models' | 'outbox' | 'ledger' | 'random16'>) {
  /** Attestations of one record are appended in the order of their changes. */
  async function expectFirst({ _id, organizationId, subject = '' }: OutboxDocument): Promise<void> {
    const earlier = models.outbox.exists({
      organizationId,
      subject,
      status: 'pending',
      _id: { $lt: _id },
    });
    if (await earlier) throw new Error('an earlier attestation of the record waits');
  }

  return {
    /**
     * In the transaction of the change: its record is attested by an entry of the decision ledger. `values` are committed to, since
     * nothing that a person wrote stands in an entry; null and absent ones are left out.
     */
    queue(attested: Attested, values: Payload['values'] = {}): Promise<void> {
      const { organizationId, kind } = attested;
      const subject = attestedId(kind, attested);
      const payload = { attested, values };
      return outbox.queue({ organizationId, topic: ATTESTATION_TOPIC, subject, payload });
    },

    /** Appends the attestation of an outbox row; a repeated delivery appends nothing. */
    async deliver(row: OutboxDocument): Promise<void> {
      await expectFirst(row);
      const { attested, values } = row.payload as unknown as Payload;
      const once = Buffer.from(sha256Hex(row._id.toHexString()), 'hex').subarray(0, KEY_BYTES);
      await ledger.attestations.append(attested, sealValues(values, random16), once);
    },
  };
}
export type AttestationService = ReturnType<typeof createAttestationService>;

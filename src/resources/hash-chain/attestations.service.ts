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
  /** Attestations of one record are appended in the order of their changes: none of before waits elsewhere than among `rows`. */
  async function expectFirst(
    { _id, organizationId, subject = '' }: OutboxDocument,
    rows: readonly OutboxDocument[],
  ): Promise<void> {
    const $nin = rows.map((row) => row._id);
    const where = { organizationId, subject, status: 'pending', _id: { $lt: _id, $nin } } as const;
    if (await models.outbox.exists(where))
      throw new Error('an earlier attestation of the record waits');
  }

  async function append(row: OutboxDocument): Promise<void> {
    const { attested, values } = row.payload as unknown as Payload;
    const once = Buffer.from(sha256Hex(row._id.toHexString()), 'hex').subarray(0, KEY_BYTES);
    await ledger.attestations.append(attested, sealValues(values, random16), once);
  }

  async function appendInOrder(ofOneRecord: readonly OutboxDocument[]): Promise<void> {
    for (const row of ofOneRecord) {
      await expectFirst(row, ofOneRecord);
      await append(row);
    }
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

    /** Appends the attestations of outbox rows, those of one record one after another; a repeated delivery appends nothing. */
    async deliverTogether(rows: readonly OutboxDocument[]): Promise<void> {
      await Promise.all(byRecord(rows).map(appendInOrder));
      await outbox.replace(rows.map((row) => ({ row, by: [] })));
    },
  };
}
export type AttestationService = ReturnType<typeof createAttestationService>;

/** Of each record in the order of their changes. */
function byRecord(rows: readonly OutboxDocument[]): OutboxDocument[][] {
  const records = new Map<string, OutboxDocument[]>();
  for (const row of rows.toSorted((a, b) => (a._id.toHexString() < b._id.toHexString() ? -1 : 1))) {
    const record = `${row.organizationId.toHexString()} ${row.subject}`;
    records.set(record, [...(records.get(record) ?? []), row]);
  }
  return [...records.values()];
}

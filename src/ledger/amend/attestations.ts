// Attests records other than decisions: each entry names the newest earlier one about its record (formats.md).
import type { mongo } from 'mongoose';
import { computePayloadDigest } from '../../domain/record/chain.ts';
import type { commitValues } from '../../domain/record/commitments.ts';
import { type AttestationFacts, createAttestationPayload } from '../../domain/record/payload.ts';
import { deriveAttestedId } from '../../domain/record/payload-members.ts';
import { AppError } from '../../errors.ts';
import type { Chain } from '../chains.ts';
import type { Appender, Outcome, Spends, Stored } from '../entry.ts';
import { eraseAttestedValues } from '../entry-updates.ts';
import { toObjectId } from '../ledger.model.ts';
import { ABOUT_ONE } from '../reads.ts';

const ATTEMPTS_MAX = 8;

type WithoutAdded<F> = F extends unknown ? Omit<F, 'after' | 'commitments'> : never;
/** The facts of one attestation; `append` adds the place in the chain and the commitments. */
export type AttestedFacts = WithoutAdded<AttestationFacts>;

/** The committed values of an attestation, and its idempotency key of 16 bytes. */
interface Attested {
  committed: ReturnType<typeof commitValues>;
  once: Buffer | null;
  /** What the entry adds to sums; absent: nothing. */
  spends?: Spends | undefined;
}

/** Whether the newest entry about a record says already what is to be appended; null: there is none. */
type IsSaid = (newest: Stored | null) => boolean;

/** Attests records other than decisions in the chain of their organisation. */
export interface Attestations {
  /**
   * Appends one attestation and stores the committed values beside it. It resolves when the entry is durable.
   * @param once idempotency key of 16 bytes: a repeat within a day MUST NOT append
   * @throws AppError `CONFLICT` (others kept coming first), and what appending throws
   */
  append(
    attested: AttestedFacts,
    committed: ReturnType<typeof commitValues>,
    once: Buffer | null,
  ): Promise<void>;
  /**
   * Likewise, unless the newest entry about the record says it already: then it resolves with null. It is asked again
   * whenever another entry came first.
   * @throws AppError as `append` does
   */
  appendUnless(attested: AttestedFacts, parts: Attested, isSaid: IsSaid): Promise<Stored | null>;
  /** Erases the committed values of a deleted organisation's attestations. */
  erase(organizationId: string): Promise<void>;
}

/** Creates the attestations service of one chain. */
export function createAttestations({
  db,
  chain,
  appender,
}: {
  db: mongo.Db;
  chain: Chain;
  appender: Pick<Appender, 'append'>;
}): Attestations {
  const collection = db.collection<Stored>(chain.collection);

  async function findNewest(attested: AttestedFacts): Promise<Stored | null> {
    const traceId = deriveAttestedId(attested.kind, attested);
    const about = { organizationId: toObjectId(attested.organizationId), traceId };
    return collection.findOne(about, { ...ABOUT_ONE, sort: { sequence: -1 } });
  }

  function appendAfter(
    newest: Stored | null,
    attested: AttestedFacts,
    { committed: { sealed, commitments }, once, spends }: Attested,
  ): Promise<Outcome> {
    const { organizationId, kind } = attested;
    const after = newest && { sequence: newest.sequence, chainHash: newest.chainHash };
    const facts = Object.assign({}, attested, { after, commitments }) as AttestationFacts;
    const payload = createAttestationPayload(facts);
    return appender.append({
      organizationId,
      kind,
      traceId: deriveAttestedId(kind, attested),
      after: after?.sequence ?? null,
      payload,
      payloadDigest: computePayloadDigest(payload),
      fields: { sealed },
      idempotencyKey: once,
      monthlyLimit: null,
      ...(spends && { spends }),
    });
  }

  async function appendUnlessSaid(
    attested: AttestedFacts,
    parts: Attested,
    isSaid: IsSaid = () => false,
  ): Promise<Stored | null> {
    for (let count = 0; count < ATTEMPTS_MAX; count++) {
      const newest = await findNewest(attested);
      if (isSaid(newest)) return null;
      const outcome = await appendAfter(newest, attested, parts);
      if ('entry' in outcome) return outcome.entry;
    }
    throw new AppError('CONFLICT');
  }

  return {
    async append(attested, committed, once) {
      await appendUnlessSaid(attested, { committed, once });
    },
    appendUnless: appendUnlessSaid,
    erase: (organizationId) => eraseAttestedValues(db, organizationId),
  };
}

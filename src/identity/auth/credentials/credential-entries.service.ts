// The entries of the chain about passkeys: what counts, and how it changes (formats.md).
import type { JsonObject } from '@assay/json';
import { groupBy } from '../../../domain/group-by.ts';
import type { Position } from '../../../domain/record/chain.ts';
import { commitValues } from '../../../domain/record/commitments.ts';
import type { Actor, CredentialFacts, CredentialState } from '../../../domain/record/payload.ts';
import { deriveAttestedId } from '../../../domain/record/payload-members.ts';
import type { Sealed, Stored } from '../../../ledger/entry.ts';
import { MAJORITY } from '../../../platform/mongo/concerns.ts';
import type { Platform } from '../../../platform/platform.ts';

/** How a passkey stands in the chain. */
export interface CredentialStanding {
  credentialId: string;
  userId: string;
  status: CredentialState;
  digest: string;
  /** The place and time of its enrolment. */
  enrolled: Position & { at: Date };
  /** The sequence of its confirmation; null: it was not confirmed. */
  confirmed: number | null;
}

/** What an entry about a passkey is to say. */
export interface SaidCredential extends Pick<
  CredentialFacts,
  'credentialId' | 'userId' | 'status' | 'digest'
> {
  organizationId: string;
  actor: Actor;
  values: Readonly<Record<string, JsonObject | string | undefined>>;
}

/** What may follow what. */
const BEFORE: Readonly<Record<CredentialState, readonly (CredentialState | null)[]>> = {
  enrolled: [null],
  confirmed: ['enrolled'],
  revoked: ['enrolled', 'confirmed'],
};

/** Appends an entry; false where the newest one forbids it. */
export async function sealCredential(
  { ledger, draw16Bytes }: Platform,
  { values, ...said }: SaidCredential,
): Promise<boolean> {
  const facts = { kind: 'credential', workspaceId: null, ...said } as const;
  const committed = commitValues(values, draw16Bytes);
  const entry = await ledger.attestations.appendUnless(facts, { committed, once: null }, (newest) =>
    isRefused(newest, said.status),
  );
  return entry !== null;
}

function isRefused(newest: Stored | null, status: CredentialState): boolean {
  const before = newest && (JSON.parse(newest.view) as CredentialFacts).status;
  return !BEFORE[status].includes(before);
}

/** How passkeys stand, by `credentialId`; those without an entry are missing. */
export async function loadStandings(
  { models }: Platform,
  organizationId: string,
  credentialIds: readonly string[],
): Promise<ReadonlyMap<string, CredentialStanding>> {
  if (credentialIds.length === 0) return new Map();
  const $in = credentialIds.map((credentialId) => deriveAttestedId('credential', { credentialId }));
  const found = await models.ledger
    .find(
      { organizationId, traceId: { $in } },
      'traceId sequence chainHash createdAt view',
      MAJORITY,
    )
    .sort({ sequence: 1 })
    .lean<(Sealed & { traceId: string })[]>();
  const groups = groupBy(found, ({ traceId }) => traceId);
  return new Map([...groups.values()].map((entries) => toStanding(entries)));
}

function toStanding(entries: readonly Sealed[]): [string, CredentialStanding] {
  const facts = entries.map(({ view }) => JSON.parse(view) as CredentialFacts);
  const [first] = entries as [Sealed];
  const newest = facts.at(-1) as CredentialFacts;
  const { credentialId, userId, digest, status } = newest;
  const confirmed = facts.findIndex((each) => each.status === 'confirmed');
  const { sequence, chainHash, createdAt: at } = first;
  const standing = {
    credentialId,
    userId,
    digest,
    status,
    enrolled: { sequence, chainHash, at: new Date(at) },
    confirmed: entries[confirmed]?.sequence ?? null,
  };
  return [credentialId, standing];
}

// Follows the credentials of an organisation: enrolled by their person, confirmed by another one, revoked.
import type { Shown } from '../disclosures.ts';
import type { Entry, Position } from '../layout.ts';
import { hashSha256, isMembers, toCanonicalJson, type Members, type Value } from '../text.ts';
import type { View } from '../view.ts';
import { readShown } from '../decisions/places.ts';
import { findSignatureFault, type Signed } from './assertion.ts';

interface Credential {
  userId: string;
  digest: string;
  status: 'enrolled' | 'confirmed' | 'revoked';
  /** Null: it is before the document. */
  enrolled: (Position & { at: number }) | null;
  /** The sequence of the entry that confirmed it; null: none, or it is before the document. */
  confirmed: number | null;
}

/** The least time between enrolment and confirmation where no other person can confirm it, in seconds. */
const DELAY = 86_400;
const NEXT: Readonly<Record<Credential['status'], readonly string[]>> = {
  enrolled: ['confirmed', 'revoked'],
  confirmed: ['revoked'],
  revoked: [],
};

/** The credentials of a document. */
export class Credentials {
  private readonly known = new Map<string, Credential>();
  private readonly isWhole: boolean;

  /** `first`: the sequence of the document's first entry. */
  constructor(first: number) {
    this.isWhole = first === 1;
  }

  /** Adds an entry of kind `credential`; returns its fault, or null. */
  addEntry(entry: Entry, view: View, shown: ReadonlyMap<string, Shown>): string | null {
    const { credentialId = '', userId = '', digest = '', status } = view as CredentialView;
    const before = this.known.get(credentialId);
    const place = { sequence: entry.sequence, chainHash: entry.chainHash };
    const enrolled = { ...place, at: Date.parse(entry.createdAt) };
    const fault = before
      ? findChangeFault(before, view as CredentialView)
      : this.findFirstFault(view as CredentialView, shown);
    const wrong = fault ?? this.findConfirmationFault(entry, view as CredentialView, shown);
    this.known.set(credentialId, {
      userId,
      digest,
      status,
      enrolled: status === 'enrolled' ? enrolled : (before?.enrolled ?? null),
      confirmed:
        status === 'confirmed' && wrong === null ? entry.sequence : (before?.confirmed ?? null),
    });
    return wrong;
  }

  /** Whose signature this is: of a credential that counts, or why it does not. */
  judge(signed: Signed, userId: string | null): 'enrolled' | 'unknown' | { fault: string } {
    const fault = findSignatureFault(signed);
    if (fault !== null) return { fault };
    const { id, confirmed, publicKey = null } = signed.credential;
    const known = this.known.get(String(id));
    if (!known)
      return this.isWhole
        ? { fault: 'it is signed with a key that was never enrolled' }
        : 'unknown';
    if (known.userId !== userId) return { fault: 'it is signed with the key of another person' };
    if (known.digest !== hashSha256(toCanonicalJson(publicKey)))
      return { fault: 'it is signed with another key than the one enrolled' };
    if (known.status !== 'confirmed')
      return { fault: `it is signed with a key that is ${known.status}, not confirmed` };
    return known.confirmed === confirmed
      ? 'enrolled'
      : { fault: 'it names another confirmation of its key' };
  }

  private findFirstFault(
    { status, digest, after, userId, actor }: CredentialView,
    shown: ReadonlyMap<string, Shown>,
  ): string | null {
    if (status !== 'enrolled')
      return this.isWhole || !after ? `it is ${status} and was never enrolled` : null;
    if (actor?.kind !== 'user' || actor.id !== userId) return 'it is enrolled by another person';
    const publicKey = readShown(shown, 'publicKey');
    return publicKey !== undefined && hashSha256(toCanonicalJson(publicKey)) !== digest
      ? 'its digest is not that of its key'
      : null;
  }

  private findConfirmationFault(
    entry: Entry,
    view: CredentialView,
    shown: ReadonlyMap<string, Shown>,
  ): string | null {
    if (view.status !== 'confirmed') return null;
    if (!Object.hasOwn(view.commitments, 'confirmation')) return 'it is confirmed by no one';
    const confirmation = readShown(shown, 'confirmation');
    if (confirmation === undefined) return null;
    if (!isMembers(confirmation)) return 'its confirmation is malformed';
    const by = view.actor?.kind === 'user' ? view.actor.id : null;
    if (Object.hasOwn(confirmation, 'delay')) return this.findDelayFault(entry, view);
    const signed = readSigned(confirmation);
    if (signed === null) return 'its confirmation is malformed';
    if (by === null || by === view.userId) return 'it is confirmed by its own person';
    const judged = this.judge(signed, by);
    if (typeof judged === 'object') return judged.fault;
    return this.isAboutEnrolment(signed.statement, view)
      ? null
      : 'its confirmation is about something else';
  }

  private findDelayFault({ createdAt }: Entry, view: CredentialView): string | null {
    const { credentialId, userId, actor } = view;
    if (actor?.kind !== 'user' || actor.id !== userId)
      return 'it is confirmed without a signature by another person';
    const others = [...this.known.values()].some(
      (other) => other.status === 'confirmed' && other.userId !== userId,
    );
    if (others) return 'it is confirmed by its own person, where another one had a key';
    const { enrolled = null } = this.known.get(credentialId) ?? {};
    const isEarly = enrolled !== null && Date.parse(createdAt) - enrolled.at < DELAY * 1000;
    return isEarly ? 'it is confirmed before its delay is over' : null;
  }

  private isAboutEnrolment(statement: Members, view: CredentialView): boolean {
    const { organizationId, credentialId, userId, digest, after } = view;
    const wanted = {
      format: 'assay-confirmation/v1',
      organizationId,
      userId,
      credentialId,
      digest,
      after: after ?? null,
    } as unknown as Value;
    return toCanonicalJson(statement) === toCanonicalJson(wanted);
  }
}

interface CredentialView extends Omit<View, 'status'> {
  credentialId: string;
  userId: string;
  digest: string;
  status: Credential['status'];
}

function findChangeFault(before: Credential, view: CredentialView): string | null {
  if (!NEXT[before.status].includes(view.status))
    return `it is ${view.status}, and was ${before.status}`;
  return before.userId === view.userId && before.digest === view.digest
    ? null
    : 'it names another person or key than before';
}

/** Null: a part is missing. */
export function readSigned(value: Members): Signed | null {
  const { statement, assertion, credential } = value;
  return isMembers(statement) && isMembers(assertion) && isMembers(credential)
    ? { statement, assertion, credential }
    : null;
}

// Passkeys of people: enrolled by their person, confirmed by another one, renamed, revoked; each step is an entry.
import type { z } from 'zod';
import type {
  CreationOptions,
  Registration,
} from '../../../domain/identity/passkeys/ceremonies.ts';
import {
  checkRegistration,
  createRegistrationOptions,
} from '../../../domain/identity/passkeys/ceremonies.ts';
import { computeKeyDigest, toPasskeyKey } from '../../../domain/identity/passkeys/public-key.ts';
import { isForPasskeys, toRelyingParty } from '../../../domain/identity/passkeys/relying-party.ts';
import {
  computeChallenge,
  computeCredentialHash,
  createEnrolmentStatement,
} from '../../../domain/identity/passkeys/statements.ts';
import { MANAGERS } from '../../../domain/identity/roles.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import type { Actor } from '../../../domain/record/payload.ts';
import { AppError } from '../../../errors.ts';
import type { Context, UserContext } from '../../../platform/context.ts';
import { findOr404, insertOne } from '../../../platform/mongo/queries.ts';
import type { Platform } from '../../../platform/platform.ts';
import { consumeToken, issueToken } from '../email-links/one-time-tokens.service.ts';
import { requireFreshProof, type SubmittedProof } from '../mfa/fresh-proof.service.ts';
import {
  type CredentialStanding,
  loadStandings,
  sealCredential,
} from './credential-entries.service.ts';
import type { passkeyInput, PasskeyView } from './credentials.schemas.ts';
import type { PasskeyDocument } from './passkeys.model.ts';
import { type KnownPasskey, listPasskeys, type Signatory } from './signatures.service.ts';

/** Passkeys of a person in one organisation, without the revoked ones. */
const PASSKEYS_MAX = 10;
const ENROLMENT_MS = 5 * 60_000;
/** Its own person confirms a passkey after a day, if no other one can (formats.md). */
export const CONFIRMATION_DELAY_SECONDS = 86_400;

export async function listOwnPasskeys(ctx: UserContext): Promise<PasskeyView[]> {
  const { platform, tenant, user } = ctx;
  const all = await listPasskeys(platform, tenant);
  const own = all.filter(({ standing }) => standing.userId === user.userId);
  return own.map((known) => toPasskeyView(known, isAlone(ctx, all)));
}

/** Whether the caller may confirm their own passkey, after a day. */
export const isAlone = ({ user }: UserContext, all: readonly KnownPasskey[]): boolean =>
  user.role === 'owner' && !hasOtherSigner(all, user.userId);

/** Whether another person could confirm a passkey of this one. */
const hasOtherSigner = (all: readonly KnownPasskey[], userId: string): boolean =>
  all.some(({ standing }) => standing.status === 'confirmed' && standing.userId !== userId);

/** @throws AppError `INVALID_OPERATION`, and those of the proof */
export async function beginPasskey(
  ctx: UserContext,
  proof: SubmittedProof,
): Promise<{ token: string; options: CreationOptions }> {
  const { platform, tenant, user } = ctx;
  requireDomain(platform);
  const { email, name } = await requireFreshProof(ctx, proof);
  const signatory = { organizationId: tenant.organizationId, userId: user.userId };
  const known = await listPasskeys(platform, signatory);
  requireFew(known);
  const token = await issueToken(platform, {
    purpose: 'passkey',
    userId: user.userId,
    facts: { organizationId: tenant.organizationId },
    expiresAt: new Date(platform.clock.now().getTime() + ENROLMENT_MS),
  });
  const challenge = computeChallenge(createEnrolmentStatement(signatory, sha256Hex(token)));
  const exclude = known.map(({ passkey }) => passkey.rawId);
  const party = toRelyingParty(platform.publicUrl);
  const person = { userId: user.userId, email, name };
  return { token, options: await createRegistrationOptions(party, person, { challenge, exclude }) };
}

/** @throws AppError `INVALID_TOKEN`, `EXPIRED`, `SIGNATURE_INVALID`, `ALREADY_EXISTS`, `INVALID_OPERATION` */
export async function enrolPasskey(
  ctx: UserContext,
  { token, name, credential }: z.output<typeof passkeyInput>,
): Promise<PasskeyView> {
  const { platform, tenant, user } = ctx;
  const { organizationId } = tenant;
  const signatory = { organizationId, userId: user.userId };
  await takeToken(platform, signatory, token);
  requireFew(await listPasskeys(platform, signatory));
  const statement = createEnrolmentStatement(signatory, sha256Hex(token));
  const party = toRelyingParty(platform.publicUrl);
  const stored = await checkRegistration(party, credential, computeChallenge(statement));
  if (!stored)
    throw new AppError(
      'SIGNATURE_INVALID',
      'The passkey does not answer these options, is not from here, or did not verify the person',
    );
  const credentialId = computeCredentialHash(credential.id);
  const row = { ...signatory, rawId: credential.id, credentialId, ...stored, name };
  const passkey = await insertOne(platform.models.passkeys, row);
  await sealEnrolment(ctx, passkey, { statement, credential });
  const all = await listPasskeys(platform, { organizationId });
  return toPasskeyView(await loadKnown(platform, passkey), isAlone(ctx, all));
}

/** @throws AppError `INVALID_TOKEN`, `EXPIRED` */
async function takeToken(
  platform: Platform,
  { organizationId, userId }: Signatory,
  token: string,
): Promise<void> {
  const issued = await consumeToken(platform, 'passkey', token);
  const isOwn = issued.userId?.toHexString() === userId;
  if (!isOwn || issued.facts.organizationId !== organizationId) throw new AppError('INVALID_TOKEN');
}

async function sealEnrolment(
  { platform, tenant: { organizationId, actor } }: UserContext,
  passkey: PasskeyDocument,
  {
    statement,
    credential,
  }: { statement: ReturnType<typeof createEnrolmentStatement>; credential: Registration },
): Promise<void> {
  const publicKey = toPasskeyKey(passkey);
  const { clientDataJSON, attestationObject } = credential;
  const said = {
    organizationId,
    actor,
    credentialId: passkey.credentialId,
    userId: passkey.userId.toHexString(),
    status: 'enrolled',
    digest: computeKeyDigest(publicKey),
    values: { publicKey, enrolment: { statement, clientDataJSON, attestationObject } },
  } as const;
  const isSealed = await sealCredential(platform, said).catch(async (error: unknown) => {
    await platform.models.passkeys.deleteOne({ _id: passkey._id, organizationId });
    throw error;
  });
  if (isSealed) return;
  await platform.models.passkeys.deleteOne({ _id: passkey._id, organizationId });
  throw new AppError('ALREADY_EXISTS', 'This passkey was enrolled before: make a new one');
}

/** @throws AppError `NOT_FOUND` */
export async function renamePasskey(
  ctx: UserContext,
  id: string,
  name: string,
): Promise<PasskeyView> {
  const { platform, tenant, user } = ctx;
  const { passkey } = await findKnown(ctx, id);
  if (passkey.userId.toHexString() !== user.userId) throw new AppError('NOT_FOUND');
  const where = { _id: passkey._id, organizationId: tenant.organizationId };
  await platform.models.passkeys.updateOne(where, { $set: { name } });
  return toPasskeyView(await loadKnown(platform, { ...passkey, name }), false);
}

/** Revokes an own passkey; owners and admins those of others too. @throws AppError `NOT_FOUND`, `INVALID_OPERATION` */
export async function revokePasskey(
  ctx: UserContext,
  id: string,
  reason: string | undefined,
): Promise<PasskeyView> {
  const { platform, tenant, user } = ctx;
  const known = await findKnown(ctx, id);
  const isOwn = known.standing.userId === user.userId;
  if (!isOwn && !MANAGERS.includes(user.role)) throw new AppError('NOT_FOUND');
  const { organizationId, actor } = tenant;
  if (!(await sealRevocation(platform, known, { organizationId, actor, reason })))
    throw new AppError('INVALID_OPERATION', 'The passkey was revoked before');
  return toPasskeyView(await loadKnown(platform, known.passkey), false);
}

interface Revocation {
  organizationId: string;
  actor: Actor;
  reason: string | undefined;
}

const sealRevocation = (
  platform: Platform,
  { standing: { credentialId, userId, digest } }: KnownPasskey,
  { organizationId, actor, reason }: Revocation,
): Promise<boolean> =>
  sealCredential(platform, {
    organizationId,
    actor,
    credentialId,
    userId,
    digest,
    status: 'revoked',
    values: { reason },
  });

/** Whether the organisation ever had a passkey. */
export async function hadPasskeys({ models }: Platform, organizationId: string): Promise<boolean> {
  return (await models.passkeys.exists({ organizationId })) !== null;
}

/** Revokes the passkeys of a person who was removed from the team; again without effect. */
export async function revokeMemberPasskeys(
  platform: Platform,
  organizationId: string,
  userId: string,
): Promise<void> {
  const actor: Actor = { kind: 'system', id: null };
  const by = { organizationId, actor, reason: 'No longer a member' };
  for (const known of await listPasskeys(platform, { organizationId, userId }))
    await sealRevocation(platform, known, by);
}

/** @throws AppError `NOT_FOUND` */
export async function findKnown(
  { platform, tenant: { organizationId } }: Context,
  id: string,
): Promise<KnownPasskey> {
  const passkey = await findOr404(
    platform.models.passkeys.findOne({ _id: id, organizationId }).lean<PasskeyDocument>(),
  );
  return loadKnown(platform, passkey);
}

/** @throws AppError `NOT_FOUND` */
export async function loadKnown(
  platform: Platform,
  passkey: PasskeyDocument,
): Promise<KnownPasskey> {
  const { credentialId } = passkey;
  const organizationId = passkey.organizationId.toHexString();
  const standing = (await loadStandings(platform, organizationId, [credentialId])).get(
    credentialId,
  );
  if (!standing) throw new AppError('NOT_FOUND');
  return { passkey, standing };
}

/** @throws AppError `INVALID_OPERATION` */
function requireDomain({ publicUrl }: Platform): void {
  if (!isForPasskeys(publicUrl))
    throw new AppError(
      'INVALID_OPERATION',
      'Passkeys need a domain name with https, or localhost: the operator sets ASSAY_PUBLIC_URL',
    );
}

/** @throws AppError `INVALID_OPERATION` */
function requireFew(known: readonly KnownPasskey[]): void {
  const live = known.filter(({ standing }) => standing.status !== 'revoked');
  if (live.length >= PASSKEYS_MAX)
    throw new AppError(
      'INVALID_OPERATION',
      `A person has at most ${PASSKEYS_MAX} passkeys: revoke one first`,
    );
}

/** `isFirst`: its own person may confirm it, an owner where no other one has a passkey that counts. */
export function toPasskeyView({ passkey, standing }: KnownPasskey, isFirst: boolean): PasskeyView {
  const { _id, name, lastUsedAt, deviceType } = passkey;
  const { credentialId, status, digest, enrolled, userId } = standing;
  return {
    _id,
    id: _id,
    name,
    userId,
    credentialId,
    status,
    fingerprint: digest,
    publicKey: toPasskeyKey(passkey),
    synced: deviceType === 'multiDevice',
    enrolledAt: enrolled.at,
    sequence: enrolled.sequence,
    confirmableAt: isFirst && status === 'enrolled' ? toConfirmableAt(standing) : null,
    lastUsedAt,
  };
}

export const toConfirmableAt = ({ enrolled }: CredentialStanding): Date =>
  new Date(enrolled.at.getTime() + CONFIRMATION_DELAY_SECONDS * 1000);

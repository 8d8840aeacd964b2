// Confirms passkeys: another person signs over one, or its own confirms it after a day where no other can.
import type { JsonObject } from '@assay/json';
import type { PasskeyAssertion } from '../../../domain/identity/passkeys/ceremonies.ts';
import { createConfirmationStatement } from '../../../domain/identity/passkeys/statements.ts';
import { AppError } from '../../../errors.ts';
import type { UserContext } from '../../../platform/context.ts';
import { findMailbox } from '../accounts/account-reader.service.ts';
import { sealCredential } from './credential-entries.service.ts';
import {
  CONFIRMATION_DELAY_SECONDS,
  findKnown,
  isAlone,
  loadKnown,
  toConfirmableAt,
  toPasskeyView,
} from './credentials.service.ts';
import type { PasskeyView } from './credentials.schemas.ts';
import {
  type KnownPasskey,
  listPasskeys,
  requestSignature,
  type SignatureRequest,
  takeSignature,
} from './signatures.service.ts';

/** A passkey of another person that waits for its confirmation. */
interface WaitingPasskey extends PasskeyView {
  person: { name: string; email: string };
  request: SignatureRequest;
}

/** Those shown at once. */
const WAITING_MAX = 50;

export async function listWaitingPasskeys(ctx: UserContext): Promise<WaitingPasskey[]> {
  const { platform, tenant, user } = ctx;
  const { organizationId } = tenant;
  const all = await listPasskeys(platform, { organizationId });
  const waiting = all.filter(
    ({ standing }) => standing.status === 'enrolled' && standing.userId !== user.userId,
  );
  return Promise.all(
    waiting.slice(0, WAITING_MAX).map(async (known) => {
      const mailbox = await findMailbox(platform, known.standing.userId);
      const { name = '', email = '' } = mailbox ?? {};
      const signatory = { organizationId, userId: user.userId };
      const statement = toStatement(organizationId, known);
      const request = await requestSignature(platform, signatory, statement);
      return { ...toPasskeyView(known, false), person: { name, email }, request };
    }),
  );
}

/** @throws AppError `NOT_FOUND`, `SIGNATURE_REQUIRED`, `SIGNATURE_INVALID`, `INVALID_OPERATION`, `FORBIDDEN` */
export async function confirmPasskey(
  ctx: UserContext,
  id: string,
  signature: PasskeyAssertion | undefined,
): Promise<PasskeyView> {
  const { platform, tenant } = ctx;
  const { organizationId, actor } = tenant;
  const known = await findKnown(ctx, id);
  const { credentialId, userId, digest } = known.standing;
  if (known.standing.status !== 'enrolled')
    throw new AppError('INVALID_OPERATION', `The passkey is ${known.standing.status} already`);
  const confirmation = signature
    ? await signConfirmation(ctx, known, signature)
    : await waitOut(ctx, known);
  const said = {
    organizationId,
    actor,
    credentialId,
    userId,
    digest,
    status: 'confirmed',
  } as const;
  if (!(await sealCredential(platform, { ...said, values: { confirmation } })))
    throw new AppError('INVALID_OPERATION', 'The passkey was confirmed or revoked before');
  return toPasskeyView(await loadKnown(platform, known.passkey), false);
}

/** @throws AppError `FORBIDDEN`, `SIGNATURE_INVALID` */
async function signConfirmation(
  { platform, tenant: { organizationId }, user: { userId } }: UserContext,
  known: KnownPasskey,
  signature: PasskeyAssertion,
): Promise<JsonObject> {
  if (known.standing.userId === userId)
    throw new AppError('FORBIDDEN', 'Another person with a confirmed passkey confirms it');
  const statement = toStatement(organizationId, known);
  return takeSignature(platform, { organizationId, userId }, { statement, signature });
}

/** @throws AppError `SIGNATURE_REQUIRED`, `FORBIDDEN` */
async function waitOut(ctx: UserContext, { standing }: KnownPasskey): Promise<JsonObject> {
  const { platform, tenant, user } = ctx;
  const { organizationId } = tenant;
  const all = await listPasskeys(platform, { organizationId });
  if (standing.userId !== user.userId || !isAlone(ctx, all))
    throw new AppError('SIGNATURE_REQUIRED', 'Another person signs over it with their own passkey');
  const confirmableAt = toConfirmableAt(standing);
  if (platform.clock.now() < confirmableAt)
    throw new AppError('FORBIDDEN', `You may confirm it from ${confirmableAt.toISOString()}`, {
      data: { confirmableAt: confirmableAt.toISOString() },
    });
  return { delay: CONFIRMATION_DELAY_SECONDS };
}

const toStatement = (organizationId: string, { standing }: KnownPasskey): JsonObject => {
  const { userId, credentialId, digest, enrolled: after } = standing;
  return createConfirmationStatement({ organizationId, userId, credentialId, digest, after });
};

// The second factor of an account: set up, switched on and off, and its backup codes (document 1, sections 3 and 4.1).
import type { z } from 'zod';
import type { Platform } from '../../../platform/platform.ts';
import { MANAGERS } from '../../../domain/identity/roles.ts';
import type { User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { MembershipService } from '../../organization/memberships/memberships.service.ts';
import { listSwitchedOff } from '../../../domain/dual-control/weakened-switches.ts';
import type { Notify } from '../../../domain/events/announcement.ts';
import type { SessionService } from '../sessions/sessions.service.ts';
import type { CodeService } from './codes.service.ts';
import {
  toMfaChange,
  type EnrolmentService,
  NO_FACTOR,
  type AuthenticatorSetup,
} from './enrolment.service.ts';
import type { FreshProofService, SubmittedProof } from './fresh-proof.service.ts';
import type { disableInput } from './mfa.schemas.ts';
import type { TryService } from './tries.service.ts';

interface Deps {
  enrolment: EnrolmentService;
  codes: CodeService;
  tries: TryService;
  freshProof: FreshProofService;
  sessions: SessionService;
  memberships: MembershipService;
  notify: Notify;
}

interface MfaState {
  mfaEnabled: boolean;
}

export function createMfaService(
  platform: Pick<Platform, 'models' | 'passwords' | 'transaction'>,
  deps: Deps,
) {
  const { models, passwords, transaction } = platform;
  const { enrolment, codes, tries, freshProof, sessions, memberships, notify } = deps;

  /** Notifies the managers of each organisation that the person manages. */
  async function notifyManagers(userId: string): Promise<void> {
    const change = { before: { managerSecondFactor: true }, after: {} };
    const about = listSwitchedOff(change, '/team');
    for (const { organizationId, role } of await memberships.listEnterable(userId))
      if (MANAGERS.includes(role))
        await notify({
          organizationId: organizationId.toHexString(),
          event: 'control.weakened',
          about,
        });
  }

  return {
    /**
     * Creates a secret, not active until a code proves it.
     * @throws AppError `INVALID_OPERATION` when the second factor is on; those of the proof
     */
    async beginEnrolment(user: User, proof: SubmittedProof): Promise<AuthenticatorSetup> {
      await freshProof.require(user, proof);
      return enrolment.begin(user.userId, user.email);
    },

    /**
     * Switches the second factor on; earlier backup codes stop working.
     * @throws AppError `INVALID_OPERATION` without a set-up, `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED`
     */
    async enable({ userId, jti }: User, code: string): Promise<MfaState> {
      await enrolment.complete(await tries.takeTry(userId, 'session'), code);
      await sessions.recordSecondFactor(jti);
      return { mfaEnabled: true };
    },

    /**
     * Requires a code of the authenticator, or a backup code and the password.
     * @throws AppError `INVALID_OPERATION`, `INVALID_MFA_CODE`, `RATE_LIMIT_EXCEEDED`
     */
    async disable(
      { userId }: User,
      { code, password }: z.output<typeof disableInput>,
    ): Promise<MfaState> {
      const user = await tries.takeTry(userId, 'session');
      if (!user.mfa.enabled) throw new AppError('INVALID_OPERATION', 'The second factor is off');
      const knowsPassword =
        password !== undefined && (await passwords.verify(user.passwordHash, password));
      await transaction(async () => {
        const proved =
          (await codes.consumeTotp(user, code)) ||
          (knowsPassword && (await codes.consumeBackupCode(user, code)));
        if (!proved) throw new AppError('INVALID_MFA_CODE');
        await models.users.updateOne({ _id: userId }, { $set: toMfaChange(NO_FACTOR) });
        await notifyManagers(userId);
      });
      return { mfaEnabled: false };
    },

    /** Creates codes, shown once; earlier ones stop working. @throws AppError those of the proof */
    async replaceBackupCodes(user: User, proof: SubmittedProof): Promise<{ codes: string[] }> {
      return { codes: await codes.replaceBackupCodes(await freshProof.require(user, proof)) };
    },
  };
}
export type MfaService = ReturnType<typeof createMfaService>;

// Inputs and views of the second factor and its backup codes (document 1, sections 3 and 4.1).
import { z } from 'zod';
import { nameSchemas } from '../../../http/declaration/schema-names.ts';
import { optional } from '../../../http/declaration/optional.ts';
import { existingPassword } from '../../../http/declaration/views.ts';

/** Six digits of an authenticator, or a backup code; blanks and hyphens do not count. */
const code = z
  .string()
  .max(20)
  .transform((text) => text.replace(/[\s-]/g, '').toLowerCase())
  .pipe(
    z
      .string()
      .regex(
        /^(\d{6}|[0-9a-z]{10})$/,
        'must be a code of 6 digits, or a backup code of 10 characters',
      ),
  );

/** Required when the sign-in was more than ten minutes ago. */
export const freshProofInput = z.object({
  code: optional(code).describe('While the second factor is on: a code of it, or a backup code'),
  password: optional(existingPassword).describe('While the second factor is off'),
});
export const enableInput = z.object({ code });
/** A backup code replaces a lost authenticator only together with the password, because codes on paper get found. */
export const disableInput = z.object({ code, password: optional(existingPassword) });
export const mfaLoginInput = z.object({ tempToken: z.string().min(1).max(2000), code });

export const setupView = z.object({
  secret: z.string(),
  otpauthUrl: z.string(),
  qrCode: z.string().describe('A data URL'),
});
export const mfaStateView = z.object({ mfaEnabled: z.boolean() });
export const backupCodesView = z.object({ codes: z.array(z.string()) });

nameSchemas({
  FreshProofInput: freshProofInput,
  MfaEnableInput: enableInput,
  MfaDisableInput: disableInput,
  MfaLoginInput: mfaLoginInput,
  MfaSetup: setupView,
  MfaState: mfaStateView,
  BackupCodes: backupCodesView,
});

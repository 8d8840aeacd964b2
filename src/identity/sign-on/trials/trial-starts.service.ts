// Begins a trial of a sign-on: checks the settings as if they were saved, and sends the browser to the provider.
import { openSsoDraft } from '../../organization/sso-settings/active-sso.service.ts';
import { checkSsoDraft } from '../../organization/sso-settings/sso-settings.service.ts';
import type { SsoInput } from '../../organization/sso-settings/sso-validation.service.ts';
import { startLogin } from '../start-login.service.ts';
import type { Cookie } from '../login/login-requests.service.ts';
import { resolveReturnAddress } from '../login/return-address.ts';
import type { TrialDocument } from './trials.model.ts';
import { createTrial } from './trials.service.ts';
import type { UserContext } from '../../../platform/context.ts';

interface Draft {
  /** As they would be saved. */
  settings: SsoInput;
  /** Where the browser goes at the end. */
  returnTo?: string | undefined;
}

interface StartedTrial {
  trial: TrialDocument;
  redirectUrl: string;
  /** What stands in the way although the settings are valid. */
  warnings: string[];
  cookies: Cookie[];
}

/** @throws AppError `SSRF_BLOCKED`, `VALIDATION_ERROR`, `IDENTITY_PROVIDER_UNAVAILABLE` */
export async function beginTrial(ctx: UserContext, draft: Draft): Promise<StartedTrial> {
  const { platform } = ctx;
  const returnTo = resolveReturnAddress(platform.redirectAllowList, draft.returnTo);
  const { config, warnings } = await checkSsoDraft(ctx, draft.settings);
  const settings = await openSsoDraft(platform, ctx.tenant.organizationId, config);
  const trial = await createTrial(ctx, config);
  const start = { returnTo, testId: trial._id.toHexString() };
  const { location, cookies } = await startLogin(platform, settings, start);
  return { trial, redirectUrl: location, warnings, cookies };
}

// Completes sign-ons at the providers of organisations: as a sign-in, or as a trial that shows what a sign-in would do.
import {
  type ActiveSso,
  loadActiveSso,
} from '../../organization/sso-settings/active-sso.service.ts';
import { signInExternally } from '../login/account-linking.service.ts';
import {
  type CompletedLogin,
  type LoginCallback,
  completeLogin,
} from '../login/login-completion.service.ts';
import type { LoginRequestState } from '../login/login-requests.service.ts';
import type { Statement } from './statement.ts';
import { settleTrial } from './trials.service.ts';
import type { Platform } from '../../../platform/platform.ts';

type OrganizationRequest = LoginRequestState & { organizationId: string };

interface OrganizationCallback<S extends OrganizationRequest> extends Omit<
  LoginCallback<S>,
  'signIn' | 'tryOut'
> {
  /** Verifies the provider's response to the request. */
  receive(request: S, settings: ActiveSso): Promise<Statement>;
}

export function completeOrganizationLogin<S extends OrganizationRequest>(
  platform: Platform,
  { receive, ...callback }: OrganizationCallback<S>,
): Promise<CompletedLogin> {
  return completeLogin<S>(platform, {
    ...callback,
    async signIn(request) {
      const settings = await loadActiveSso(platform, request.organizationId);
      const statement = await receive(request, settings);
      const identity = statement.toIdentity();
      return signInExternally(platform, settings, { identity, origin: callback.origin });
    },
    tryOut: (request, testId) =>
      settleTrial(platform, { organizationId: request.organizationId, testId }, (settings) =>
        receive(request, settings),
      ),
  });
}

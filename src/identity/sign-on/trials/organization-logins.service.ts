// Completes sign-ons at the providers of organisations: as a sign-in, or as a trial that shows what a sign-in would do.
import type {
  ActiveSso,
  ActiveSsoService,
} from '../../organization/sso-settings/active-sso.service.ts';
import type { AccountLinkingService } from '../login/account-linking.service.ts';
import type {
  CompletedLogin,
  LoginCallback,
  LoginCompletionService,
} from '../login/login-completion.service.ts';
import type { LoginRequestState } from '../login/login-requests.service.ts';
import type { Statement } from './statement.ts';
import type { TrialService } from './trials.service.ts';

interface Deps {
  loginCompletion: LoginCompletionService;
  accountLinking: AccountLinkingService;
  activeSso: ActiveSsoService;
  trials: TrialService;
}

type OrganizationRequest = LoginRequestState & { organizationId: string };

interface OrganizationCallback<S extends OrganizationRequest> extends Omit<
  LoginCallback<S>,
  'signIn' | 'tryOut'
> {
  /** Verifies the provider's response to the request. */
  receive(request: S, settings: ActiveSso): Promise<Statement>;
}

export function createOrganizationLogins(deps: Deps) {
  const { loginCompletion, accountLinking, activeSso, trials } = deps;
  return {
    complete<S extends OrganizationRequest>({
      receive,
      ...callback
    }: OrganizationCallback<S>): Promise<CompletedLogin> {
      return loginCompletion.complete<S>({
        ...callback,
        async signIn(request) {
          const settings = await activeSso.loadActiveSso(request.organizationId);
          const statement = await receive(request, settings);
          return accountLinking.signIn(settings, statement.toIdentity(), callback.origin);
        },
        tryOut: (request, testId) =>
          trials.settle({ organizationId: request.organizationId, testId }, (settings) =>
            receive(request, settings),
          ),
      });
    },
  };
}
export type OrganizationLogins = ReturnType<typeof createOrganizationLogins>;

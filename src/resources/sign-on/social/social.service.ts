// Social login: by an account at one of the installation's providers, known by what never changes there, never by its e-mail address.
import type { Platform } from '../../../composition/platform.ts';
import { allowedRedirect } from '../../../domain/identity/redirect-allow-list.ts';
import { AppError } from '../../../errors.ts';
import type { CredentialService } from '../../auth/accounts/credentials.service.ts';
import type { RegistrationService } from '../../auth/accounts/registration.service.ts';
import type { SignInFailures } from '../../auth/accounts/sign-in-failures.service.ts';
import type { UserDocument } from '../../auth/accounts/users.model.ts';
import type { Origin, Proof, SessionService } from '../../auth/sessions/sessions.service.ts';
import { displayNameOf } from '../login/display-name.ts';
import type { LoginCompletionService, LoginContext } from '../login/login-completion.service.ts';
import type {
  CookieReader,
  LoginRequestService,
  LoginRequestState,
} from '../login/login-requests.service.ts';
import type { CallbackQuery } from '../login/sign-on.schemas.ts';
import type { SocialOpener, SocialPerson } from './social-providers.service.ts';

export type SocialKind = 'oauth-a' | 'oauth-b' | 'oauth-c';

type Deps = Pick<
  Platform,
  'models' | 'clock' | 'transaction' | 'randomToken' | 'redirectAllowList' | 'publicUrl'
> & {
  sessions: SessionService;
  failures: SignInFailures;
  credentials: CredentialService;
  registration: RegistrationService;
  loginRequests: LoginRequestService;
  loginCompletion: LoginCompletionService;
  /** Those that are configured. */
  providers: Readonly<Record<SocialKind, SocialOpener | null>>;
};

interface Facts extends LoginRequestState {
  verifier: string;
  nonce: string;
}

interface Callback {
  query: CallbackQuery;
  cookie: CookieReader;
  origin: Origin;
}

const METHOD = 'oauth';

export function createSocialService(deps: Deps) {
  const {
    models,
    sessions,
    failures,
    credentials,
    registration,
    loginRequests,
    loginCompletion,
    clock,
    transaction,
    randomToken,
  } = deps;

  const redirectUri = (kind: SocialKind): string =>
    `${deps.publicUrl}/api/v1/auth/${kind}/callback`;

  /** @throws AppError `NOT_FOUND` when the installation has no such login */
  function openerOf(kind: SocialKind): SocialOpener {
    const opener = deps.providers[kind];
    if (!opener) throw new AppError('NOT_FOUND', 'This login is not set up here');
    return opener;
  }

  const known = ({ issuer, subject }: SocialPerson): Promise<UserDocument | null> =>
    models.users.findOne({ identities: { $elemMatch: { issuer, subject } } }).lean<UserDocument>();
  const addressed = (email: string): Promise<UserDocument | null> =>
    models.users.findOne({ email }).lean<UserDocument>();

  /** From now on the account at the provider opens this one, which has the address that the provider vouches for. */
  async function link(
    user: UserDocument,
    { issuer, subject }: SocialPerson,
  ): Promise<UserDocument> {
    const { matchedCount } = await models.users.updateOne(
      { _id: user._id, 'identities.issuer': { $ne: issuer } },
      { $push: { identities: { issuer, subject, linkedAt: clock.now() } } },
    );
    if (matchedCount === 0)
      throw new AppError(
        'CONFLICT',
        'The account with this address belongs to somebody else at the provider',
      );
    return credentials.proveMailbox(user);
  }

  /** Call it in a transaction. @throws AppError `FORBIDDEN`, `CONFLICT`, `ACCOUNT_DEACTIVATED` */
  async function enter(person: SocialPerson, { origin, proof }: { origin: Origin; proof: Proof }) {
    const { email } = person;
    if (email === null)
      throw new AppError('FORBIDDEN', 'The provider does not vouch for the e-mail address');
    const user = await known(person);
    if (user) return sessions.signIn(user, origin, proof);
    const sameAddress = await addressed(email);
    if (sameAddress) return sessions.signIn(await link(sameAddress, person), origin, proof);
    registration.requireOpen();
    const name = displayNameOf({ name: person.name, email });
    const { issuer, subject } = person;
    return registration.found(
      {
        name,
        email,
        organizationName: name,
        passwordHash: null,
        mailboxProved: true,
        identities: [{ issuer, subject, linkedAt: clock.now() }],
      },
      origin,
      proof,
    );
  }

  /** A refusal belongs into the log of the account that was meant. */
  async function noteRefusal(person: SocialPerson, origin: Origin, error: unknown): Promise<void> {
    const user =
      (await known(person)) ?? (person.email === null ? null : await addressed(person.email));
    const detail = error instanceof AppError ? error.message : 'fault';
    if (user) failures.note(user, origin, { method: METHOD, detail });
  }

  async function arrive(
    kind: SocialKind,
    { query, cookie, origin }: Callback,
    journey: LoginContext,
  ) {
    const { facts, spent } = await loginRequests.finish<Facts>(kind, query.state ?? '', cookie);
    journey.returnTo = facts.returnTo;
    journey.spent.push(spent);
    const provider = await openerOf(kind)();
    const url = new URL(redirectUri(kind));
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value);
    const person = await provider.identify({ url, verifier: facts.verifier, nonce: facts.nonce });
    const proof = { method: METHOD, provider: kind, secondFactor: null };
    return transaction(() => enter(person, { origin, proof })).catch(async (error: unknown) => {
      await noteRefusal(person, origin, error);
      throw error;
    });
  }

  async function leave(kind: SocialKind, opener: SocialOpener, returnTo: string) {
    const provider = await opener();
    const [verifier, nonce] = [randomToken(), randomToken()];
    const { state, cookie } = await loginRequests.begin<Facts>(kind, { returnTo, verifier, nonce });
    const location = await provider.location({
      redirectUri: redirectUri(kind),
      state,
      verifier,
      nonce,
    });
    return { location, cookies: [cookie] };
  }

  return {
    /**
     * Where the browser goes: to the provider, or back with a code when it cannot be reached.
     * @throws AppError `NOT_FOUND` when it is not set up, `VALIDATION_ERROR` for a return address that is not allowed
     */
    async begin(kind: SocialKind, wanted: string | undefined, origin: Origin) {
      const opener = openerOf(kind);
      const returnTo = allowedRedirect(deps.redirectAllowList, wanted);
      if (returnTo === null)
        throw new AppError('VALIDATION_ERROR', 'returnTo: is not an allowed address');
      return leave(kind, opener, returnTo).catch((error: unknown) =>
        loginCompletion.refused({ method: METHOD, returnTo, spent: [] }, origin, error),
      );
    },

    /** The browser is back. @throws AppError `NOT_FOUND` when the login is not set up */
    async finish(kind: SocialKind, callback: Callback) {
      openerOf(kind);
      const journey: LoginContext = { method: METHOD, spent: [] };
      return loginCompletion.conclude(journey, callback.origin, () =>
        arrive(kind, callback, journey),
      );
    },
  };
}
export type SocialService = ReturnType<typeof createSocialService>;

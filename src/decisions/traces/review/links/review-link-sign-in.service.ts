// Signs a person in on the page of a link: a session of the link's organisation, in a cookie of these pages alone.
import type { z } from 'zod';
import { AppError } from '../../../../errors.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { LocalService } from '../../../../identity/auth/accounts/local.service.ts';
import type { SecondStepService } from '../../../../identity/auth/mfa/second-step.service.ts';
import type {
  Origin,
  SecondStep,
  SessionService,
  SignedIn,
} from '../../../../identity/auth/sessions/sessions.service.ts';
import type { ReviewLinkDocument } from './review-links.model.ts';
import type { linkSignInForm, SignInProblem } from './review-links.schemas.ts';
import type { ReviewLinks } from './review-links.service.ts';

interface Deps {
  links: ReviewLinks;
  local: LocalService;
  secondStep: SecondStepService;
  sessions: SessionService;
}

interface Cookie {
  name: string;
  value: string | null;
  maxAgeMs?: number;
  path: string;
}

/** The cookies and headers of a browser that sign-in by a link reads. */
export interface Browser extends Origin {
  cookie: (name: string) => string | null;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface Attempt {
  location: string;
  cookies: Cookie[];
  /** Null: it failed. */
  signIn: SignedIn | SecondStep | null;
}

export const LINK_SESSION = 'assay_review';
export const LINK_STEP = 'assay_review_step';
const PATH = '/decide';
const SESSION_MS = 15 * 60_000;
const STEP_MS = 5 * 60_000;

const createCookie = (name: string, value: string | null, maxAgeMs?: number): Cookie => ({
  name,
  value,
  path: PATH,
  ...(maxAgeMs !== undefined && { maxAgeMs }),
});

/** Whether a page of another site sent the form; browsers that do not say so are believed, for the address is secret. */
export const isFromElsewhere = ({ headers }: Browser): boolean =>
  headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site';

export function createReviewLinkSignIn(
  { transaction }: Pick<Platform, 'transaction'>,
  { links, local, secondStep, sessions }: Deps,
) {
  /** The session in the link's organisation. @throws AppError where the session may not lead there */
  async function enterOrganization(
    { token, organizationId }: SignedIn,
    link: ReviewLinkDocument,
    origin: Origin,
  ): Promise<string> {
    const wanted = link.organizationId.toHexString();
    if (organizationId === wanted) return token;
    const { tenant, user } = await sessions.authenticate(token);
    if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
    const opened = await transaction(() =>
      sessions.switchOrganization({ tenant, user }, wanted, origin),
    );
    return opened.token;
  }

  async function takeStep(
    browser: Browser,
    { email = '', password = '', code }: z.output<typeof linkSignInForm>,
  ): Promise<SignedIn | SecondStep> {
    const tempToken = browser.cookie(LINK_STEP) ?? '';
    if (code !== undefined) return secondStep.login({ tempToken, code }, browser);
    return local.login({ email, password }, browser);
  }

  /** The session, or the step that is still missing. */
  async function createCookies(
    signIn: SignedIn | SecondStep,
    link: ReviewLinkDocument,
    origin: Origin,
  ): Promise<Cookie[]> {
    if (signIn.mfaRequired) return [createCookie(LINK_STEP, signIn.tempToken, STEP_MS)];
    const session = await enterOrganization(signIn, link, origin);
    return [createCookie(LINK_SESSION, session, SESSION_MS), createCookie(LINK_STEP, null)];
  }

  return {
    /** Leads back to the page of the link, also after a failure. */
    async signIn(
      token: string,
      browser: Browser,
      form: z.output<typeof linkSignInForm>,
    ): Promise<Attempt> {
      const page = `${PATH}/${encodeURIComponent(token)}`;
      const createFailure = (problem: SignInProblem, ...cookies: Cookie[]): Attempt => ({
        location: `${page}?problem=${problem}`,
        cookies,
        signIn: null,
      });
      const link = await links.findLink(token);
      if (!link || isFromElsewhere(browser)) return createFailure('refused');
      try {
        const signIn = await takeStep(browser, form);
        return { location: page, cookies: await createCookies(signIn, link, browser), signIn };
      } catch (error) {
        const problem = describeProblem(error);
        return createFailure(
          problem,
          ...(problem === 'code' ? [] : [createCookie(LINK_STEP, null)]),
        );
      }
    },
  };
}
export type ReviewLinkSignIn = ReturnType<typeof createReviewLinkSignIn>;

/** @throws the error of a fault, or of too many attempts */
function describeProblem(error: unknown): SignInProblem {
  if (!(error instanceof AppError) || error.http >= 500 || error.http === 429) throw error;
  if (error.code === 'INVALID_MFA_CODE') return 'code';
  return error.code === 'INVALID_CREDENTIALS' ? 'credentials' : 'refused';
}

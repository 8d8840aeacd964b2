// Signs a person in on the page of a link: a session of the link's organisation, in a cookie of these pages alone.
import { switchOrganization } from '../../../../identity/auth/sessions/sign-in.service.ts';
import { logIn } from '../../../../identity/auth/accounts/local.service.ts';
import { completeSecondStep } from '../../../../identity/auth/mfa/second-step.service.ts';
import { authenticateSession } from '../../../../identity/auth/sessions/authentication.service.ts';
import type { z } from 'zod';
import { AppError } from '../../../../errors.ts';
import type { PlatformContext } from '../../../../platform/context.ts';
import type {
  Origin,
  SecondStep,
  SignedIn,
} from '../../../../identity/auth/sessions/sessions.service.ts';
import type { ReviewLinkDocument } from './review-links.model.ts';
import type { linkSignInForm, SignInProblem } from './review-links.schemas.ts';
import { findReviewLink } from './review-links.service.ts';

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

/** A browser that opens a link. */
export interface LinkContext extends PlatformContext {
  browser: Browser;
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

/** Leads back to the page of the link, also after a failure. */
export async function signInAtReviewLink(
  ctx: LinkContext,
  token: string,
  form: z.output<typeof linkSignInForm>,
): Promise<Attempt> {
  const page = `${PATH}/${encodeURIComponent(token)}`;
  const createFailure = (problem: SignInProblem, ...cookies: Cookie[]): Attempt => ({
    location: `${page}?problem=${problem}`,
    cookies,
    signIn: null,
  });
  const link = await findReviewLink(ctx.platform, token);
  if (!link || isFromElsewhere(ctx.browser)) return createFailure('refused');
  try {
    const signIn = await takeStep(ctx, form);
    return { location: page, cookies: await createCookies(ctx, signIn, link), signIn };
  } catch (error) {
    const problem = describeProblem(error);
    return createFailure(problem, ...(problem === 'code' ? [] : [createCookie(LINK_STEP, null)]));
  }
}

/** The session in the link's organisation. @throws AppError where the session may not lead there */
async function enterOrganization(
  { platform, browser }: LinkContext,
  { token, organizationId }: SignedIn,
  link: ReviewLinkDocument,
): Promise<string> {
  const wanted = link.organizationId.toHexString();
  if (organizationId === wanted) return token;
  const { tenant, user } = await authenticateSession(platform, token);
  if (!user) throw new AppError('UNAUTHORIZED_NO_USER');
  const opened = await platform.transaction(() =>
    switchOrganization({ platform, tenant, user }, wanted, browser),
  );
  return opened.token;
}

async function takeStep(
  { platform, browser }: LinkContext,
  { email = '', password = '', code }: z.output<typeof linkSignInForm>,
): Promise<SignedIn | SecondStep> {
  const tempToken = browser.cookie(LINK_STEP) ?? '';
  if (code !== undefined) return completeSecondStep(platform, { tempToken, code }, browser);
  return logIn(platform, { email, password }, browser);
}

/** The session, or the step that is still missing. */
async function createCookies(
  ctx: LinkContext,
  signIn: SignedIn | SecondStep,
  link: ReviewLinkDocument,
): Promise<Cookie[]> {
  if (signIn.mfaRequired) return [createCookie(LINK_STEP, signIn.tempToken, STEP_MS)];
  const session = await enterOrganization(ctx, signIn, link);
  return [createCookie(LINK_SESSION, session, SESSION_MS), createCookie(LINK_STEP, null)];
}

/** @throws the error of a fault, or of too many attempts */
function describeProblem(error: unknown): SignInProblem {
  if (!(error instanceof AppError) || error.http >= 500 || error.http === 429) throw error;
  if (error.code === 'INVALID_MFA_CODE') return 'code';
  return error.code === 'INVALID_CREDENTIALS' ? 'credentials' : 'refused';
}

// The page of a review link and its form: of any number of holders, one decides, once.
import { findUserName } from '../../../../identity/auth/accounts/account-reader.service.ts';
import type { z } from 'zod';
import { type HeldCard, isHeldCard } from '../../../../domain/events/decision-card.ts';
import type { Role } from '../../../../domain/identity/roles.ts';
import { AppError } from '../../../../errors.ts';
import type { Platform } from '../../../../platform/platform.ts';
import { loadDecisionCard } from '../notices/decision-cards.service.ts';
import { findPendingSelfReview } from '../self-review/pending-reviews.service.ts';
import { decideReview } from '../review-decisions.service.ts';
import {
  createDecisionPage,
  createMessagePage,
  createOutcomePage,
  createSignInPage,
  isShownWhole,
  type LinkPage,
  PAGE_HEADERS,
  renderPage,
} from './decide-page.ts';
import { findLinkReader, type LinkReader } from './review-link-reader.service.ts';
import {
  isFromElsewhere,
  LINK_SESSION,
  LINK_STEP,
  type LinkContext,
} from './review-link-sign-in.service.ts';
import type { ReviewLinkDocument } from './review-links.model.ts';
import type { linkVerdictForm, SignInProblem } from './review-links.schemas.ts';
import { findReviewLink, consumeReviewLink, restoreReviewLink } from './review-links.service.ts';

/** The verdict of a link in the audit log. */
interface VerdictAudit {
  organizationId: string;
  userId: string;
  userEmail: string;
  userRole: Role;
  resourceId: string;
  metadata: Record<string, unknown>;
}

interface Shown {
  file: ReturnType<typeof renderPage>;
  headers: Record<string, string>;
  audit: VerdictAudit | [];
}

/** A link whose decision may be decided by its reader. */
interface Open {
  link: ReviewLinkDocument;
  card: HeldCard;
  reader: LinkReader;
}

const PROBLEMS: Readonly<Record<SignInProblem, string>> = {
  credentials: 'The address or the password is wrong.',
  code: 'The code is wrong.',
  refused: 'You cannot sign in here. Try the console.',
};

const REFUSALS = {
  'another person': 'The link was sent to another person.',
  'no reviewer': 'Only owners, admins and reviewers decide.',
  involved: 'You are involved in it. Another owner, admin or reviewer decides.',
} as const;

const UNKNOWN = createMessagePage('No such link', {
  text: 'The link is not valid. It may be cut off, or very old.',
});

/** Never decides: scanners of mails open links, too. */
export async function showLinkPage(
  ctx: LinkContext,
  token: string,
  problem: SignInProblem | undefined,
): Promise<Shown> {
  const found = await openLink(ctx, token, problem ? PROBLEMS[problem] : null);
  if ('title' in found) return toShown(found);
  const person = describePerson(found.reader);
  return toShown(createDecisionPage(found.card, { token, person, problem: null }));
}

/** Decides, and shows what was decided, also when another verdict came first. */
export async function decideByLink(
  ctx: LinkContext,
  token: string,
  form: z.output<typeof linkVerdictForm>,
): Promise<Shown> {
  const found = await openLink(ctx, token, null);
  if ('title' in found) return toShown(found);
  const { card } = found;
  if (isFromElsewhere(ctx.browser) || !isShownWhole(card))
    return toShown(
      createMessagePage('Decide on the page itself', {
        text: 'Open the link again, or decide in the console.',
        traceId: card.traceId,
      }),
    );
  try {
    await giveVerdict(ctx.platform, found, form);
  } catch (error) {
    if (!(error instanceof AppError) || error.http >= 500) throw error;
    const after = await openLink(ctx, token, null);
    if ('title' in after) return toShown(after);
    if (error.code !== 'FORBIDDEN') throw error;
    const { traceId } = card;
    return toShown(createMessagePage('You cannot decide this', { text: error.message, traceId }));
  }
  const after = await openLink(ctx, token, null);
  const page = 'title' in after ? after : UNKNOWN;
  return toShown(page, toAudit(found, form.decision));
}

async function createOutcome(platform: Platform, card: HeldCard): Promise<LinkPage> {
  const { decidedBy } = card.review;
  const name = decidedBy === null ? null : await findUserName(platform, decidedBy);
  return createOutcomePage(card, name);
}

/** Returns the page that says why there is nothing to decide; null: there is. */
async function findEnd(
  platform: Platform,
  link: ReviewLinkDocument,
  card: HeldCard,
): Promise<LinkPage | null> {
  const { traceId, review } = card;
  if (review.status !== 'pending') return createOutcome(platform, card);
  const now = platform.clock.now();
  const isOver = link.expiresAt <= now || (review.expiresAt !== null && review.expiresAt <= now);
  if (isOver)
    return createMessagePage('The link has expired', {
      text: 'Decide in the console, if the decision still waits.',
      traceId,
    });
  if (review.actionDigest !== link.actionDigest)
    return createMessagePage('The action has changed', {
      text: 'The action is another one than when the message was sent. Look at it in the console.',
      traceId,
    });
  if (link.spentAt === null) return null;
  const text = 'Each link decides once. Others may have to approve as well.';
  return createMessagePage('The link was used', { text, traceId });
}

function refuseReader(refused: keyof typeof REFUSALS, traceId: string): LinkPage {
  const text = REFUSALS[refused];
  return createMessagePage('You cannot decide this', { text, traceId });
}

/** The page to answer with, or what the reader may decide. */
async function openLink(
  { platform, browser }: LinkContext,
  token: string,
  problem: string | null,
): Promise<LinkPage | Open> {
  const link = await findReviewLink(platform, token);
  if (!link) return UNKNOWN;
  const { traceId } = link;
  const card = await loadDecisionCard(platform, link.organizationId.toHexString(), traceId);
  if (!isHeldCard(card)) return UNKNOWN;
  const end = await findEnd(platform, link, card);
  if (end) return end;
  const session = browser.cookie(LINK_SESSION);
  const read = await findLinkReader(platform, link, { card, session });
  if ('reader' in read) {
    const { tenant } = read.reader;
    const isInvolved = await findPendingSelfReview({ platform, tenant }, card.review.reviewId);
    return isInvolved ? refuseReader('involved', traceId) : { link, card, reader: read.reader };
  }
  if (read.refused !== 'unknown') return refuseReader(read.refused, traceId);
  const needsCode = browser.cookie(LINK_STEP) !== null;
  return createSignInPage({ token, traceId, problem, needsCode });
}

/** Spends the link, then decides; a verdict that could not be stored makes it usable again. */
async function giveVerdict(
  platform: Platform,
  { link, card, reader }: Open,
  { decision, reason }: z.output<typeof linkVerdictForm>,
): Promise<void> {
  if (!(await consumeReviewLink(platform, link))) throw new AppError('INVALID_OPERATION');
  const { actionDigest } = link;
  const digest = actionDigest === null ? {} : { actionDigest };
  const words = { decision, ...(reason !== undefined && { reason }) };
  const way = { via: toWay(link), proof: reader.proof } as const;
  const ctx = { platform, tenant: reader.tenant };
  const verdict = { ...words, ...digest, way };
  await decideReview(ctx, card.review.reviewId, verdict).catch(async (error: unknown) => {
    if (!(error instanceof AppError) || error.http >= 500 || error.http === 403)
      await restoreReviewLink(platform, link);
    throw error;
  });
}

const describePerson = ({ name, email }: LinkReader): string => `${name} (${email})`;

const toShown = (page: LinkPage, audit: Shown['audit'] = []): Shown => ({
  file: renderPage(page),
  headers: { ...PAGE_HEADERS },
  audit,
});

/** The link of a chat's card, or that of a mail. */
const toWay = ({ userId }: ReviewLinkDocument): 'card' | 'link' =>
  userId === null ? 'card' : 'link';

function toAudit({ link, card, reader }: Open, decision: string): VerdictAudit {
  const { organizationId, traceId, review } = card;
  const { userId, email, role, proof } = reader;
  return {
    organizationId,
    userId,
    userEmail: email,
    userRole: role,
    resourceId: review.reviewId,
    metadata: { traceId, decision, via: toWay(link), proof },
  };
}

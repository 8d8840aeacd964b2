// Every event that members hear of: who hears of it, by which channels, and in which words.
import { scrubStrictly } from '@assay/scrub';
import { truncate } from '@assay/json';
import { MANAGERS, REVIEWERS, type Role, WRITERS } from '../identity/roles.ts';
import { toPlainText } from '../names/plain-text.ts';
import { toQuotedName } from '../names/quoted-name.ts';
import type { HaltState } from '../halt/halt.ts';
import { type VoteState, formatApprovals } from '../review/approval-votes.ts';
import { formatTime, toReviewPage } from './decision-card.ts';

/** The types of notifications, each of which a user may opt out of. */
export const NOTIFICATION_TYPES = [
  'system',
  'security',
  'invite',
  'broadcast',
  'alert',
  'info',
] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

/** The kind of a mail about what waits. */
export const NOTICE_MAIL = 'notice';

/** What the dashboard shows; the mail about what waits begins with the same words. */
export interface EventWords {
  title: string;
  body: string;
  /** A page of the console. */
  link?: string;
  /** The decision that it is about: it goes with the decision's contents. */
  subject?: string;
  /** The user who sent a broadcast. */
  sentBy?: string;
}

/** An event that is shown in the dashboard; `About`: what happened. */
export interface Informed<About> {
  /** A user may opt out of it. */
  type: NotificationType;
  /** Absent: members of all roles. */
  roles?: readonly Role[];
  /** It is shown to people who opted out of its type, too. */
  isForced?: true;
  words(this: void, about: About): EventWords;
  /** The payload of its mail; absent or null: it is not mailed. */
  mail?(this: void, about: About, notice: ShownNotice): { kind: string } | null;
}

/** A notice as one member gets it. */
interface ShownNotice {
  event: string;
  userId: string;
  notificationId: string;
  words: EventWords;
}

/** An event that waits for a person: it is mailed, too, and storms become digests. */
interface Awaited<About> extends Informed<About> {
  /** Those who may see and act on it. */
  roles: readonly Role[];
  /** What a digest says of several. */
  digest: string;
  /** The page that lists them. */
  page: string;
}

/** The outbox keeps words and receiver; the mail is composed when it is sent. */
const createNoticeMail = (
  _: unknown,
  { event, userId, words: { title, body, link, subject } }: ShownNotice,
): { kind: string } & Record<string, unknown> => {
  const about = subject === undefined ? {} : { traceId: subject };
  return { kind: NOTICE_MAIL, userId, event, title, body, link, about };
};

const toScrubbedQuote = (name: string): string => toQuotedName(scrubStrictly(name));

/** A held decision: names and a deadline alone, nothing that it says. */
interface HeldAbout {
  traceId: string;
  agent: string;
  policy: string | undefined;
  /** When a person has to have decided; null: never. */
  deadline: Date | null;
  /** How far it is where several people have to approve; null: one decides. */
  approvals: VoteState | null;
}

const APPROVALS_MAX = 300;

const describeApprovals = (approvals: VoteState): string =>
  `Approvals: ${toPlainText(scrubStrictly(formatApprovals(approvals)), APPROVALS_MAX)}.`;

const awaitReview = (
  title: string,
  digest: string,
  { type = 'alert', roles = WRITERS }: Partial<Pick<Awaited<HeldAbout>, 'type' | 'roles'>> = {},
): Awaited<HeldAbout> => ({
  type,
  roles,
  digest,
  page: '/console/review',
  mail: createNoticeMail,
  words({ traceId, agent, policy, deadline, approvals }) {
    const sentences = [
      policy === undefined ? null : `Held by the policy ${toScrubbedQuote(policy)}.`,
      approvals && describeApprovals(approvals),
      deadline && `Decide by ${formatTime(deadline)}.`,
    ];
    return {
      title: `${title}: a decision of ${toScrubbedQuote(agent)}`,
      body: sentences.filter((sentence) => sentence !== null).join(' '),
      link: toReviewPage(traceId),
      subject: traceId,
    };
  },
});

/** A change of a policy; `by`: the quoted name of who took the last step. */
interface ApprovalAbout {
  approvalId: string;
  policy: string;
  by: string;
}

const awaitApproval = <More>(
  { roles, digest }: { roles: readonly Role[]; digest: string },
  describe: (about: ApprovalAbout & More) => readonly [title: string, body: string],
): Awaited<ApprovalAbout & More> => ({
  type: 'info',
  roles,
  digest,
  page: '/console/policies',
  mail: createNoticeMail,
  words(about) {
    const [title, body] = describe(about);
    const link = `/console/policies/approvals/${about.approvalId}`;
    return { title: `${title}: ${toScrubbedQuote(about.policy)}`, body, link };
  },
});

interface IncidentAbout {
  incidentId: string;
  title: string;
  regulator: string;
  deadline: Date | null;
}

const awaitReport = (what: string, digest: string): Awaited<IncidentAbout> => ({
  type: 'alert',
  roles: WRITERS,
  digest,
  page: '/console/incidents',
  mail: createNoticeMail,
  words: ({ incidentId, title, regulator, deadline }) => ({
    title: `${what} (${regulator.toUpperCase()}): ${toScrubbedQuote(title)}`,
    body: deadline ? `The deadline: ${formatTime(deadline)}.` : '',
    link: `/console/incidents/${incidentId}`,
  }),
});

const REASON_MAX = 300;

export const WAITING = {
  'review.held': awaitReview('Waits for a person', 'held decisions wait for a person', {
    type: 'info',
    roles: REVIEWERS,
  }),
  'review.assigned': awaitReview('Assigned to you', 'held decisions were assigned to you', {
    type: 'info',
  }),
  'review.escalated': awaitReview('Escalated to you', 'held decisions were escalated to you'),
  'review.due': awaitReview('Review due soon', 'reviews are due soon'),
  'review.overdue': awaitReview('Review overdue', 'reviews are overdue'),
  'approval.waiting': awaitApproval<{ isReviewed: boolean }>(
    { roles: REVIEWERS, digest: 'changes of policies wait for approval' },
    ({ isReviewed, by }) => [
      isReviewed ? 'Waits to be put into force' : 'Waits for your review',
      `The last step was taken by ${by}.`,
    ],
  ),
  'approval.decided': awaitApproval<{ outcome: string; reason: string | null }>(
    { roles: WRITERS, digest: 'changes of policies of yours moved on' },
    ({ outcome, reason, by }) => {
      const why = reason === null ? '' : ` ${toPlainText(scrubStrictly(reason), REASON_MAX)}`;
      return [`Your change is ${outcome}`, `By ${by}.${why}`];
    },
  ),
  'incident.due': awaitReport('Report due soon', 'reports of incidents are due soon'),
  'incident.breached': awaitReport('Report late', 'reports of incidents are late'),
};
export type NoticeEvent = keyof typeof WAITING;
export const NOTICE_EVENTS = Object.keys(WAITING) as NoticeEvent[];

export const isWaiting = (event: EventName): event is NoticeEvent => Object.hasOwn(WAITING, event);

/** A notice to owners and admins that a control is weaker; no one opts out. */
const warn = <About>(words: (about: About) => EventWords): Informed<About> => ({
  type: 'security',
  roles: MANAGERS,
  isForced: true,
  words,
});

/** It began, or it has ended; `isEnabled`: the change keeps the policy on. */
type CanaryStep = ({ share: number } | { end: 'promote' | 'rollback' }) & { isEnabled: boolean };

function describeCanary(step: CanaryStep): [title: string, effect: string] {
  const judge = step.isEnabled ? 'are judged by the change' : 'are judged without the policy';
  if ('share' in step)
    return [
      'A canary began',
      `${Math.round(100 * step.share)} % of the decisions ${judge}, the others as before.`,
    ];
  return step.end === 'promote'
    ? ['A canary was promoted', `All decisions ${judge} from now on.`]
    : ['A canary was rolled back', 'The policy is as it was before.'];
}

/** Reasons for which Assay switches a webhook off: it answered 410, or failed for days. */
const SWITCH_OFF_TEXTS = {
  gone: 'its receiver answered 410 (gone)',
  failing: 'every delivery of the last five days failed',
} as const;
export type SwitchOffReason = keyof typeof SWITCH_OFF_TEXTS;
export const SWITCH_OFF_REASONS = Object.keys(SWITCH_OFF_TEXTS) as SwitchOffReason[];
const SWITCHED_OFF = 'A webhook was switched off';
const ADVICE = 'Deliveries that failed can be sent again once it is switched on.';

/** The mail to an owner. */
export const createSwitchOffMail = (
  organization: string,
  { host, reason }: { host: string; reason: SwitchOffReason },
): { subject: string; paragraphs: string[] } => ({
  subject: `${SWITCHED_OFF}: ${host}`,
  paragraphs: [
    `The webhook of ${organization} to ${host} was switched off, for ${SWITCH_OFF_TEXTS[reason]}.`,
    ADVICE,
  ],
});

const grouped = new Intl.NumberFormat('en-US');

/** Maximum length of the words of a policy. */
const MATCH_MAX = 1000;

interface NearLimit {
  threshold: number;
  limit: number;
  month: string;
  /** Decisions beyond it are refused. */
  isBlocking: boolean;
}

const HALT_TITLES: Readonly<Record<HaltState, string>> = {
  halted: 'Halted',
  watched: 'A person decides each action',
  resumed: 'Resumed',
};

const INFORMING = {
  'control.weakened': warn<{ title: string; link: string }>((about) => ({
    ...about,
    body: 'It took effect at once. The audit log shows who changed it.',
  })),
  'control.requested': warn<{
    what: string;
    by: string;
    isConfirmed: boolean;
    link: string;
    after: string;
  }>(({ what, by, isConfirmed, link, after }) => ({
    title: `${what}: ${isConfirmed ? 'confirmed' : 'asked for'} by ${by}`,
    body: isConfirmed
      ? 'It takes effect now.'
      : `It takes effect when another owner or admin sends the same change, or after ${after} when the owner who asked sends it again.`,
    link,
  })),
  'halt.changed': warn<{ haltId: string; what: string; state: HaltState; by: string | null }>(
    ({ haltId, what, state, by }) => ({
      title: `${HALT_TITLES[state]}: ${toScrubbedQuote(what)}`,
      body: `By ${by === null ? 'a key or the service' : toQuotedName(by)}.`,
      link: `/console/halts/${haltId}`,
    }),
  ),
  'canary.changed': warn<{ policyId: string; policy: string; by: string; step: CanaryStep }>(
    ({ policyId, policy, by, step }) => {
      const [title, effect] = describeCanary(step);
      return {
        title: `${title}: ${toScrubbedQuote(policy)}`,
        body: `By ${toQuotedName(by)}. ${effect}`,
        link: `/console/policies/${policyId}?part=canary`,
      };
    },
  ),
  'policy.matched': {
    type: 'alert',
    roles: MANAGERS,
    words: ({ policy, traceId, verdict, reason }) => ({
      title: `Policy ${toQuotedName(policy)} has matched`,
      body: truncate(`The decision ${traceId} was ${verdict}. ${reason}`, MATCH_MAX),
      link: `/console/decisions/${traceId}`,
    }),
  } satisfies Informed<{ policy: string; traceId: string; verdict: string; reason: string }>,
  'limit.near': {
    type: 'system',
    roles: MANAGERS,
    words: ({ threshold, limit, month, isBlocking }) => ({
      title: `${grouped.format(threshold)} decisions this month: 90 percent of the plan`,
      body: `The plan includes ${grouped.format(limit)} decisions in ${month}. Decisions beyond it are ${isBlocking ? 'refused' : 'billed'}.`,
      link: '/console/usage',
    }),
  } satisfies Informed<NearLimit>,
  'webhook.switched-off': {
    type: 'alert',
    roles: ['owner'],
    isForced: true,
    words: ({ host, reason }) => ({
      title: SWITCHED_OFF,
      body: `The webhook to ${host} was switched off, for ${SWITCH_OFF_TEXTS[reason]}. ${ADVICE}`,
    }),
    mail: ({ webhookId, reason }, { userId }) => ({
      kind: 'webhookSwitchedOff',
      webhookId,
      reason,
      userId,
    }),
  } satisfies Informed<{ webhookId: string; host: string; reason: SwitchOffReason }>,
  broadcast: {
    type: 'broadcast',
    isForced: true,
    words: ({ title, body, sentBy }) => ({ title, body, link: '/notifications', sentBy }),
    mail: ({ isMailed }, { notificationId }) =>
      isMailed ? { kind: 'broadcast', notificationId } : null,
  } satisfies Informed<{ title: string; body: string; sentBy: string; isMailed: boolean }>,
};

type Table = typeof WAITING & typeof INFORMING;
export type EventName = keyof Table;
export type EventAbout<E extends EventName> = Parameters<Table[E]['words']>[0];

export const EVENTS: { readonly [E in EventName]: Informed<EventAbout<E>> } = {
  ...WAITING,
  ...INFORMING,
};

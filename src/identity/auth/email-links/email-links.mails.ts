// The links that are mailed about an account: what they are for, how long they live, and the words of their mails.
import type { MailContent } from '../../../platform/mail/mail-layout.ts';
import type { Purpose } from './one-time-tokens.model.ts';

interface MailedLink {
  purpose: Purpose;
  /** The page that takes the token. */
  page: string;
  /** Minutes from the request, not from the delivery. */
  lifetime: number;
  subject: string;
  paragraphs: readonly string[];
  label: string;
  /** What the mail adds before the first proof of a mailbox, since that proof ends all earlier access. */
  beforeProof?: string;
}

const IGNORE = 'If it was not you, ignore this mail: nothing happens without the link.';
const BEGUN =
  'This address has not been confirmed yet, so everything that was begun with it may be a stranger\u2019s';

export const MAILED_LINKS = {
  signup: {
    purpose: 'signup',
    page: 'complete-signup',
    lifetime: 24 * 60,
    subject: 'Finish your registration with Assay',
    paragraphs: [
      'We received a request to register this address with Assay. The link is valid for 24 hours.',
      IGNORE,
    ],
    label: 'Finish the registration',
  },
  reset: {
    purpose: 'reset',
    page: 'reset-password',
    lifetime: 60,
    subject: 'Set a new password for Assay',
    paragraphs: [
      'We received a request for a new password for your account. The link is valid for one hour and works once.',
      'With the new password all sessions end.',
      IGNORE,
    ],
    label: 'Set a new password',
    beforeProof: `${BEGUN}. With the new password its keys and invitations end and its other members are suspended. No data is lost: you decide whether to keep it.`,
  },
  'magic-link': {
    purpose: 'magic-link',
    page: 'magic-link',
    lifetime: 15,
    subject: 'Your link to sign in to Assay',
    paragraphs: [
      'We received a request to sign in to your account by mail. The link is valid for 15 minutes and works once.',
      IGNORE,
    ],
    label: 'Sign in',
    beforeProof: `${BEGUN}. When you sign in, its sessions, keys and invitations end and its other members are suspended, unless you give the password that it was registered with. No data is lost: you decide whether to keep it.`,
  },
  // A link that confirms an address signs in as well.
  confirm: {
    purpose: 'magic-link',
    page: 'magic-link',
    lifetime: 24 * 60,
    subject: 'Confirm your address for Assay',
    paragraphs: [
      'This address was registered with Assay. If it was you, confirm it within 24 hours by the link and your password.',
      'If it was not you, ignore this mail: the account is locked then.',
    ],
    label: 'Confirm the address',
  },
} as const satisfies Record<string, MailedLink>;
export type LinkKind = keyof typeof MAILED_LINKS;

/** The token follows `#` in the address of the page, so that no server or log sees it. */
export function createLinkMail(
  kind: LinkKind,
  to: string,
  { origin, token, isProved }: { origin: string; token: string; isProved: boolean },
): MailContent {
  const { page, subject, paragraphs, label, beforeProof }: MailedLink = MAILED_LINKS[kind];
  const more = isProved || beforeProof === undefined ? [] : [beforeProof];
  const action = { label, token, link: `${origin}/${page}#token=${token}` };
  return { to, subject, paragraphs: [...paragraphs, ...more], action };
}

export const composeWrongCodesMail = (to: string): MailContent => ({
  to,
  subject: 'Wrong codes for your Assay account',
  paragraphs: [
    'A sign-in to your account has passed the first step, and then five wrong codes of the second factor were given.',
    'If it was not you, they know your password or read your mail: change the password, and end the sessions that you do not know.',
  ],
  action: null,
});

export const composeAccountExistsMail = (to: string): MailContent => ({
  to,
  subject: 'You have an account with Assay',
  paragraphs: [
    'We received a request to register this address with Assay, and it has an account already.',
    'If it was you, sign in, or ask for a new password if you do not remember it. If it was not you, ignore this mail.',
  ],
  action: null,
});

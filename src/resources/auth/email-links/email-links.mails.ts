// What the mails about an account say; how they look is the layout's.
import type { MailContent } from '../../../platform/mail/mail-layout.ts';

/** Where a mail leads: the address of a page, and the token it takes behind `#`, which no server and no log sees. */
export interface LinkMail {
  page: string;
  token: string;
}

type Words = Pick<MailContent, 'subject' | 'paragraphs'> & { label: string };

const IGNORE = 'If it was not you, ignore this mail: nothing happens without the link.';

const SIGN_UP: Words = {
  subject: 'Finish your registration with Assay',
  paragraphs: [
    'Somebody asked to register this address with Assay. The link is good for 24 hours.',
    IGNORE,
  ],
  label: 'Finish the registration',
};
const RESET: Words = {
  subject: 'Set a new password for Assay',
  paragraphs: [
    'Somebody asked for a new password for your account. The link is good for one hour and works once.',
    'With the new password all sessions end.',
    IGNORE,
  ],
  label: 'Set a new password',
};
const MAGIC_LINK: Words = {
  subject: 'Your link to sign in to Assay',
  paragraphs: [
    'Somebody asked to sign in to your account by mail. The link is good for 15 minutes and works once.',
    IGNORE,
  ],
  label: 'Sign in',
};

const CONFIRM: Words = {
  subject: 'Confirm your address for Assay',
  paragraphs: [
    'Somebody registered this address with Assay. If it was you, confirm it within 24 hours by the link and your password.',
    'If it was not you, ignore this mail: the account is locked then.',
  ],
  label: 'Confirm the address',
};
const BEGUN =
  'Nobody has confirmed this address yet, so whatever was begun with it may be a stranger\u2019s';
/** To an account whose mailbox nobody has proved. */
const FIRST_LINK: Words = {
  ...MAGIC_LINK,
  paragraphs: [
    ...MAGIC_LINK.paragraphs,
    `${BEGUN}. When you sign in, its sessions, keys and invitations end and its other members are suspended, unless you give the password that it was registered with. No data is lost: you decide whether to keep it.`,
  ],
};
const FIRST_RESET: Words = {
  ...RESET,
  paragraphs: [
    ...RESET.paragraphs,
    `${BEGUN}. With the new password its keys and invitations end and its other members are suspended. No data is lost: you decide whether to keep it.`,
  ],
};

const mailWithLink =
  ({ label, ...words }: Words) =>
  (to: string, { page, token }: LinkMail): MailContent => ({
    to,
    ...words,
    action: { label, token, link: `${page}#token=${token}` },
  });

export const signUpMail = mailWithLink(SIGN_UP);
export const resetMail = mailWithLink(RESET);
export const magicLinkMail = mailWithLink(MAGIC_LINK);

export const confirmMail = mailWithLink(CONFIRM);
export const firstLinkMail = mailWithLink(FIRST_LINK);
export const firstResetMail = mailWithLink(FIRST_RESET);

export const wrongCodesMail = (to: string): MailContent => ({
  to,
  subject: 'Wrong codes for your Assay account',
  paragraphs: [
    'Somebody has signed in to your account as far as the second factor, and has given five wrong codes.',
    'If it was not you, they know your password or read your mail: change the password, and end the sessions that you do not know.',
  ],
  action: null,
});

export const accountExistsMail = (to: string): MailContent => ({
  to,
  subject: 'You have an account with Assay',
  paragraphs: [
    'Somebody asked to register this address with Assay, and it has an account already.',
    'If it was you, sign in, or ask for a new password if you do not remember it. If it was not you, ignore this mail.',
  ],
  action: null,
});

// Texts of the mails about an account.
import type { MailContent } from '../../../platform/mail/mail-layout.ts';

/** The link of a mail: the address of a page, and the token, which follows `#` so that no server or log sees it. */
export interface LinkMail {
  page: string;
  token: string;
}

type Words = Pick<MailContent, 'subject' | 'paragraphs'> & { label: string };

const IGNORE = 'If it was not you, ignore this mail: nothing happens without the link.';

const SIGN_UP: Words = {
  subject: 'Finish your registration with Assay',
  paragraphs: [
    'We received a request to register this address with Assay. The link is valid for 24 hours.',
    IGNORE,
  ],
  label: 'Finish the registration',
};
const RESET: Words = {
  subject: 'Set a new password for Assay',
  paragraphs: [
    'We received a request for a new password for your account. The link is valid for one hour and works once.',
    'With the new password all sessions end.',
    IGNORE,
  ],
  label: 'Set a new password',
};
const MAGIC_LINK: Words = {
  subject: 'Your link to sign in to Assay',
  paragraphs: [
    'We received a request to sign in to your account by mail. The link is valid for 15 minutes and works once.',
    IGNORE,
  ],
  label: 'Sign in',
};

const CONFIRM: Words = {
  subject: 'Confirm your address for Assay',
  paragraphs: [
    'This address was registered with Assay. If it was you, confirm it within 24 hours by the link and your password.',
    'If it was not you, ignore this mail: the account is locked then.',
  ],
  label: 'Confirm the address',
};
const BEGUN =
  'This address has not been confirmed yet, so everything that was begun with it may be a stranger\u2019s';
/** The mail to an account whose mailbox has never been proved. */
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

const createLinkMail =
  ({ label, ...words }: Words) =>
  (to: string, { page, token }: LinkMail): MailContent => ({
    to,
    ...words,
    action: { label, token, link: `${page}#token=${token}` },
  });

export const signUpMail = createLinkMail(SIGN_UP);
export const resetMail = createLinkMail(RESET);
export const magicLinkMail = createLinkMail(MAGIC_LINK);

export const confirmMail = createLinkMail(CONFIRM);
export const firstLinkMail = createLinkMail(FIRST_LINK);
export const firstResetMail = createLinkMail(FIRST_RESET);

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

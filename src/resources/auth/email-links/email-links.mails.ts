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

export const accountExistsMail = (to: string): MailContent => ({
  to,
  subject: 'You have an account with Assay',
  paragraphs: [
    'Somebody asked to register this address with Assay, and it has an account already.',
    'If it was you, sign in, or ask for a new password if you do not remember it. If it was not you, ignore this mail.',
  ],
  action: null,
});

// The variables of the configuration that bound how often something may be asked for.
import { positive } from './environment-values.ts';

export const limitVariables = {
  ASSAY_LIMIT_IP: positive.default(1000).describe('Requests per client address and 15 minutes'),
  ASSAY_LIMIT_USER: positive.default(600).describe('Requests per user and 15 minutes'),
  ASSAY_LIMIT_FOLLOW_UP: positive
    .default(30_000)
    .describe('Waits, claims, outcomes and withdrawals of one key per 15 minutes'),
  ASSAY_LIMIT_AUTH: positive
    .default(100)
    .describe('Requests to /auth per client address and 15 minutes'),
  ASSAY_LIMIT_SIGN_ON: positive
    .default(1000)
    .describe(
      'Requests to the sign-on by other services per client address and 15 minutes: about three a person, and offices share an address',
    ),
  ASSAY_LIMIT_ACCOUNT: positive
    .default(20)
    .describe('Sign-in attempts per account and client network, and 15 minutes'),
  ASSAY_LIMIT_ACCOUNT_TOTAL: positive
    .default(400)
    .describe('Sign-in attempts per account from everywhere, and 15 minutes'),
  ASSAY_LIMIT_ONBOARDING: positive
    .default(120)
    .describe('Requests to agent onboarding per user and 15 minutes'),
  ASSAY_LIMIT_CPI: positive
    .default(60)
    .describe('Reads of the index and its analytics per reader and 15 minutes'),
  ASSAY_LIMIT_CPI_REPORT: positive
    .default(10)
    .describe('Compliance reports an organisation and hour'),
  ASSAY_LIMIT_DEMO: positive.default(5).describe('Demo requests per client address and hour'),
  ASSAY_LIMIT_MAIL: positive
    .default(5)
    .describe(
      'Mails of one kind to one address that one network may request without signing in, per 15 minutes',
    ),
  ASSAY_LIMIT_MAIL_TOTAL: positive
    .default(10)
    .describe('Mails of one kind to one address that may be requested from everywhere, likewise'),
  ASSAY_LIMIT_INVITATIONS: positive
    .default(200)
    .describe('Invitation mails of one organisation per day'),
  ASSAY_LIMIT_INVITATIONS_TO_ONE: positive
    .default(5)
    .describe('Invitation mails of one organisation to one address per day'),
  ASSAY_LIMIT_SANDBOX: positive.default(10_000).describe('Decisions per month on the plan sandbox'),
  ASSAY_LIMIT_SCIM: positive
    .default(600)
    .describe('SCIM requests per token, and per client address, and 15 minutes'),
};

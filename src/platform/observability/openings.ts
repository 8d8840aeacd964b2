// Lists insecure settings, so that every start warns the operator about them.
import type { Config } from '../../config/config.ts';

type Opening = Pick<
  Config,
  | 'REGISTRATION'
  | 'DEFAULT_PLAN'
  | 'SMTP_URL'
  | 'requireVerifiedEmail'
  | 'KEY_STORE_URI'
  | 'production'
>;

/** Returns one line per insecure setting. */
export function describeOpenings(config: Opening): string[] {
  const { REGISTRATION, DEFAULT_PLAN, SMTP_URL, requireVerifiedEmail } = config;
  const isBesideData = config.production && config.KEY_STORE_URI === undefined;
  return [
    ...(REGISTRATION === 'open'
      ? [
          `registration is open: everyone who reaches this service can make an organisation on the plan ${DEFAULT_PLAN} (REGISTRATION)`,
        ]
      : []),
    ...(requireVerifiedEmail
      ? []
      : [
          'an account needs no proved mailbox to invite people and mint keys (ASSAY_REQUIRE_VERIFIED_EMAIL)',
        ]),
    ...(isBesideData
      ? [
          'the keys of all contents lie beside the data: a backup of both holds what is erased later (KEY_STORE_URI)',
        ]
      : []),
    ...(SMTP_URL === undefined
      ? ['mail is written to files, whose tokens open accounts (SMTP_URL)']
      : []),
  ];
}

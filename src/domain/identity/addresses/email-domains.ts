// E-mail domains that an organisation may claim for its sign-on: their normal form, and the excluded domains.
import { getPublicSuffix } from 'tldts';
import { hasInvalidPunycode } from '../../network/punycode.ts';

/** Domains where anyone can get an address: claiming one would give the accounts of all to one organisation. */
const PUBLIC_PROVIDERS = new Set(
  (
    'aol.com,fastmail.com,gmail.com,gmx.at,gmx.ch,gmx.com,gmx.de,gmx.net,googlemail.com,hey.com,hotmail.com,icloud.com,' +
    'live.com,mac.com,mail.com,mail.ru,me.com,msn.com,naver.com,outlook.com,pm.me,proton.me,protonmail.com,qq.com,' +
    'rocketmail.com,t-online.de,tutanota.com,web.de,yahoo.com,yandex.com,yandex.ru,ymail.com,zoho.com,126.com,163.com'
  ).split(','),
);

const LABEL = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/;
const MAX_LENGTH = 253;

export type ClaimedDomain = { domain: string } | { problem: string };

/** A claimed domain in normal form: lower case, ASCII. `problem` is phrased to follow the domain. */
export function parseClaimedDomain(text: string): ClaimedDomain {
  const domain = toAsciiDomain(text);
  if (domain === null) return { problem: 'is not a domain name' };
  if (isPublicSuffix(domain)) return { problem: 'is a public suffix' };
  return PUBLIC_PROVIDERS.has(domain) ? { problem: 'is a public e-mail provider' } : { domain };
}

/** Uses the Public Suffix List with its private section, so `github.io` counts too. */
function isPublicSuffix(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
}

/** Lower-cased and in ASCII (IDNA), without a trailing dot; null when it is not a host name, or is an IP address. */
export function toAsciiDomain(text: string): string | null {
  const url = `https://${text.trim()}`;
  if (/[\s/?#@:\\%[\]]/.test(text.trim()) || !URL.canParse(url)) return null;
  const domain = new URL(url).hostname.replace(/\.$/, '');
  const labels = domain.split('.');
  const isName = labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '');
  return isName && domain.length <= MAX_LENGTH && !hasInvalidPunycode(domain) ? domain : null;
}

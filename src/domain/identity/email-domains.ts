// E-mail domains that an organisation may claim for its sign-on: how they are spelt, and which can be nobody's alone.

/** Where anybody gets an address; a proof would give everybody's accounts to one organisation. */
const PUBLIC_MAIL = new Set(
  (
    'aol.com,fastmail.com,gmail.com,gmx.at,gmx.ch,gmx.com,gmx.de,gmx.net,googlemail.com,hey.com,hotmail.com,icloud.com,' +
    'live.com,mac.com,mail.com,mail.ru,me.com,msn.com,naver.com,outlook.com,pm.me,proton.me,protonmail.com,qq.com,' +
    'rocketmail.com,t-online.de,tutanota.com,web.de,yahoo.com,yandex.com,yandex.ru,ymail.com,zoho.com,126.com,163.com'
  ).split(','),
);

/** Second levels below which the registries of countries sell: co.uk, com.au, or.at. */
const REGISTRY_LABELS =
  /^(ac|co|com|ed|edu|go|gob|gov|gouv|gv|id|ltd|me|mil|ne|net|nhs|nom|or|org|plc|police|sch)$/;

const LABEL = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/;
const MAX_LENGTH = 253;

export type ClaimedDomain = { domain: string } | { problem: string };

/**
 * A domain as addresses are compared with it: lower-cased, in ASCII. Public suffixes are told by their form; whoever owns one of
 * the few names that only look like one is helped by the administrator of the installation.
 */
export function claimedDomain(text: string): ClaimedDomain {
  const domain = asciiDomain(text);
  if (domain === null) return { problem: 'is no domain' };
  const labels = domain.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  const isSuffix =
    labels.length === 1 ||
    (labels.length === 2 && top.length === 2 && REGISTRY_LABELS.test(second));
  if (isSuffix) return { problem: 'is a public suffix' };
  return PUBLIC_MAIL.has(domain) ? { problem: 'is a public mail provider' } : { domain };
}

/** Lower-cased and in ASCII (IDNA), without the dot at the end; null for what is no host name, addresses included. */
export function asciiDomain(text: string): string | null {
  const url = `https://${text.trim()}`;
  if (/[\s/?#@:\\%[\]]/.test(text.trim()) || !URL.canParse(url)) return null;
  const domain = new URL(url).hostname.replace(/\.$/, '');
  const labels = domain.split('.');
  const isName = labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '');
  return isName && domain.length <= MAX_LENGTH ? domain : null;
}

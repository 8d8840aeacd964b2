// Secrets: signed tokens, private keys, keys with a known prefix, and labelled passwords and keys.
import { createLabelPattern } from './label.ts';
import { textFeatures } from '../inspect.ts';
import { createCandidates, type Rule } from '../rule.ts';

const privateKey =
  /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,20000}(?:-----END [A-Z0-9 ]{1,60}-----|$)/g;
const jsonWebToken =
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g;
const prefixes = [
  'sk-',
  'sk_',
  'pk_',
  'rk_',
  'whsec_',
  'gh[opsur]_',
  'github_pat_',
  'glpat-',
  'xox[abeprs]-',
  'npm_',
  'hf_',
  'pypi-',
  'dop_v1_',
  'SG\\.',
  'svc_live_',
  'svc_agent_',
  'AIza',
  'AKIA',
  'ASIA',
  'ya29\\.',
];
const prefixed = new RegExp(
  `(?<![A-Za-z0-9])(?:${prefixes.join('|')})[A-Za-z0-9_.-]{15,}[A-Za-z0-9_-]`,
  'g',
);
/** Eight or more characters with a letter and a digit among the first 64: plain words and numbers are not secrets. */
const character = '[A-Za-z0-9_+/=.~!@#$%^&*-]';
const value = `(?=${character}{0,63}[A-Za-z])(?=${character}{0,63}\\d)${character}{7,255}[A-Za-z0-9_+/=~!#$%^&*-]`;
const bearer = new RegExp(`(?<![A-Za-z0-9])[Bb]earer (?=(?<found>${value}))`, 'g');
const labelledSecret = createLabelPattern('password', value);
const inUrl = /:\/\/[A-Za-z0-9._~%+-]{1,64}:(?=(?<found>[A-Za-z0-9_+=.~!$%^&*-]{1,128})@)/g;

export const secretRule: Rule = {
  type: 'SECRET',
  needs: textFeatures.token | textFeatures.rule,
  candidates: () => secrets,
};

const secrets = [
  createCandidates(privateKey),
  ...[jsonWebToken, bearer, inUrl, prefixed, labelledSecret].map((pattern) =>
    createCandidates(pattern, measureMixedText),
  ),
];

/** The length of a text with both letters and digits; 0 for any other. */
function measureMixedText(found: string): number {
  return /[A-Za-z]/.test(found) && /\d/.test(found) ? found.length : 0;
}

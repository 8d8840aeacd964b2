// A changed name is the same person only when the organisation itself has changed how it names people.
import { expect, test } from 'vitest';
import { isRenamed, type ProviderName } from '../../../src/domain/sign-on/provider-name.ts';

const before: ProviderName = {
  protocol: 'saml',
  issuer: 'urn:example:idp',
  format: 'email',
  subject: 'ada',
};

test.for<[string, Partial<ProviderName>, Partial<ProviderName>, string | null, boolean]>([
  ['another subject', {}, { subject: 'mal' }, null, false],
  ['another subject of the kind that is asked for', {}, { subject: 'mal' }, 'email', false],
  ['another protocol', {}, { protocol: 'oidc', format: 'sub' }, 'sub', true],
  ['another provider', {}, { issuer: 'urn:example:other' }, null, true],
  ['another kind, which is asked for', {}, { format: 'persistent' }, 'persistent', true],
  ['another kind without a choice in the settings', {}, { format: 'persistent' }, null, false],
  ['another kind than is asked for', {}, { format: 'persistent' }, 'email', false],
  ['a kind that was not known', { format: null }, { format: 'email' }, 'email', false],
])('%s', ([, was, now, chosen, expected]) => {
  const [one, other] = [Object.assign({}, before, was), Object.assign({}, before, now)];
  expect(isRenamed(one, other, chosen)).toBe(expected);
});

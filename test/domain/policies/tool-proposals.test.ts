// What an import would change: whatever a server says, nothing that is listed becomes looser.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EFFECTS, type Tool } from '@assay/policy';
import {
  compareTools,
  readServerTools,
  toPlace,
} from '../../../src/domain/policies/tool-proposals.ts';
import { chooseRuns } from '../../setup/runs.ts';

const base: Tool = {
  name: 'send',
  server: 'mail',
  match: {},
  does: ['write'],
  gives: ['private'],
  outside: ['body'],
  directory: false,
  roles: { to: 'object' },
  after: ['backup'],
};

it.each<[string, Partial<Tool>, string]>([
  ['nothing', {}, 'same'],
  ['another order', { match: {} }, 'same'],
  ['one more effect', { does: ['write', 'money'] }, 'stricter'],
  ['one effect less', { does: [] }, 'looser'],
  ['another effect', { does: ['money'] }, 'looser'],
  ['one label less', { gives: [] }, 'looser'],
  ['one more label', { gives: ['private', 'secret'] }, 'stricter'],
  ['all of the result', { outside: null }, 'stricter'],
  ['fewer fields', { outside: [] }, 'looser'],
  ['more fields', { outside: ['body', 'title'] }, 'stricter'],
  ['a directory', { directory: true }, 'looser'],
  ['a role less', { roles: {} }, 'stricter'],
  ['another role', { roles: { to: 'content' } }, 'looser'],
  ['one more role', { roles: { to: 'object', cc: 'content' } }, 'looser'],
  ['nothing before it', { after: [] }, 'looser'],
  ['another server', { server: 'other' }, 'new'],
  ['another pattern', { match: { 'arguments.to': 'x' } }, 'new'],
])('%s is judged', (_what, change, state) => {
  expect(compareTools([{ ...base, ...change }], [base])).toMatchObject([{ state }]);
});

const tool = fc.record({
  name: fc.constantFrom('send', 'Send', 'read'),
  server: fc.constantFrom(null, 'mail', 'desk'),
  match: fc.constant({}),
  does: fc.subarray([...EFFECTS]),
  gives: fc.subarray(['private', 'untrusted', 'secret']),
  outside: fc.option(fc.subarray(['a', 'b'])),
  directory: fc.boolean(),
  roles: fc.constant({}),
  after: fc.subarray(['x', 'y']),
});
const hints = fc.record(
  { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean(), openWorldHint: fc.boolean() },
  { requiredKeys: [] },
);

it('no hint loosens', { tags: ['varied'] }, () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(tool, { maxLength: 4, selector: toPlace }),
      hints,
      (listed, annotations) => {
        const tools = readServerTools({ name: 'send', annotations }, 'mail', listed);
        for (const { state } of compareTools(tools, listed)) expect(state).not.toBe('looser');
      },
    ),
    { numRuns: chooseRuns(200, 5_000) },
  );
});

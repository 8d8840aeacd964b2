// Catalogues of tools, and the state of sessions: what is not listed is the strictest, and nothing removes a label.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@assay/json';
import {
  beginSession,
  changeSession,
  checkTool,
  compileCatalogue,
  EFFECTS,
  findCatalogueProblem,
  isIdle,
  type SessionChange,
  type Tool,
  toolLimits,
} from '../../src/index.ts';
import { buildTool as tool } from './build-tool.ts';

const call = (name: string, given: JsonObject = {}, server?: string) => ({
  action: { tool: name, arguments: given, ...(server !== undefined && { server }) },
});
const strictest = { does: [...EFFECTS], gives: ['private', 'untrusted'] };

const LISTS: Tool[][] = [
  [
    tool({ name: 'sendEmail', does: ['outbound'], gives: [], after: ['make_backup'] }),
    tool({ name: 'read_mail', server: 'mail', gives: ['private', 'untrusted'] }),
    tool({ name: 'make_backup', does: ['write'] }),
    tool({
      name: 'shell',
      match: { 'arguments.command': '^git (status|log)' },
      gives: ['internal'],
    }),
  ],
];

describe('what a decision does', () => {
  it.each([
    ['a listed tool', call('send_email'), { does: ['outbound'], gives: [] }, true],
    ['a name in another spelling', call('Send-Email'), { does: ['outbound'], gives: [] }, true],
    [
      'a tool of its server',
      call('read_mail', {}, 'mail'),
      { does: [], gives: ['private', 'untrusted'] },
      true,
    ],
    ['of another server', call('read_mail', {}, 'evil'), strictest, false],
    ['of no server', call('read_mail'), strictest, false],
    [
      'an argument that matches',
      call('shell', { command: 'git status' }),
      { does: [], gives: ['internal'] },
      true,
    ],
    ['one that does not', call('shell', { command: 'rm -rf /' }), strictest, false],
    ['a list of texts', call('shell', { command: ['git status', 'rm'] }), strictest, false],
    ['no argument', call('shell'), strictest, false],
    ['no such tool', call('transfer'), strictest, false],
    ['a text', { action: 'Approve the loan' }, strictest, false],
    ['a call without a name', { action: { arguments: {} } }, strictest, false],
    [
      'a call as OpenAI writes it',
      { toolCalls: [{ function: { name: 'shell', arguments: '{"command":"git log"}' } }] },
      { does: [], gives: ['internal'] },
      true,
    ],
  ])('reads %s', (_what, output, expected, isListed) => {
    const found = compileCatalogue(LISTS).describe(output);
    expect(found.isListed).toBe(isListed);
    expect(found.acts).toMatchObject([expected]);
  });

  it('does nothing without a call', () => {
    const found = compileCatalogue(LISTS).describe({ rationale: 'no action' });
    const values = { unproven: [], invented: [], unasked: [], promptSeen: false };
    expect(found).toEqual({ acts: [], isListed: true, after: [], values });
  });

  it('lets the stricter of two catalogues count, and none that is empty', () => {
    const other = [tool({ name: 'send_email', does: ['money'], gives: ['secret'] })];
    const both = compileCatalogue([...LISTS, other]).describe(call('send_email'));
    expect(both.acts).toMatchObject([{ does: ['money', 'outbound'], gives: ['secret'] }]);
    const one = compileCatalogue([...LISTS, []]).describe(call('send_email'));
    expect(one.acts).toMatchObject([{ does: ['outbound'], gives: [] }]);
    const unlisted = compileCatalogue([...LISTS, other]).describe(call('make_backup'));
    expect(unlisted.isListed).toBe(false);
    expect(unlisted.acts).toMatchObject([strictest]);
  });

  it('joins what several entries say of a call', () => {
    const list = [
      tool({ name: 'post', does: ['outbound'] }),
      tool({ name: 'post', match: { 'arguments.paid': 'yes' }, does: ['money'] }),
    ];
    const { acts } = compileCatalogue([list]).describe(call('post', { paid: 'yes' }));
    expect(acts).toMatchObject([{ does: ['money', 'outbound'] }]);
  });

  it('names the tools that come before, and counts calls that are alike', () => {
    const found = compileCatalogue(LISTS).describe({
      toolCalls: [{ name: 'send_email' }, { name: 'send_email' }, { name: 'make_backup' }],
    });
    expect(found.after).toEqual(['make_backup']);
    expect(found.acts).toEqual([
      { tool: 'send_email', times: 2, does: ['outbound'], gives: [] },
      { tool: 'make_backup', times: 1, does: ['write'], gives: [], step: true },
    ]);
  });

  it('keeps few acts of a decision with thousands of calls, and loses no effect', () => {
    const list = Array.from({ length: 500 }, (_, at) =>
      tool({ name: `tool_${at}`, does: [EFFECTS[at % 8]!], gives: at === 499 ? ['secret'] : [] }),
    );
    const toolCalls = list.flatMap(({ name }) => [{ name }, { name }]);
    const { acts } = compileCatalogue([list]).describe({ toolCalls });
    expect(acts).toHaveLength(17);
    expect(acts.reduce((sum, { times }) => sum + times, 0)).toBe(1000);
    expect(acts.at(-1)).toMatchObject({ tool: null, does: [...EFFECTS], gives: ['secret'] });
  });
});

describe('the labels of a caller', () => {
  it('count where the catalogue has them', () => {
    const { selectLabels } = compileCatalogue([[tool({ name: 'a', gives: ['health'] })]]);
    expect(selectLabels(['health', 'secret', 'secret', 'other', 'Health', 7])).toEqual([
      'health',
      'secret',
    ]);
    expect(selectLabels('secret')).toEqual([]);
    expect(compileCatalogue([]).selectLabels(['health', 'untrusted'])).toEqual(['untrusted']);
  });
});

describe('a tool', () => {
  it.each([
    ['an empty name', { name: '' }, 'name'],
    ['a name of spaces', { name: ' a ' }, 'name'],
    ['a label of two words', { gives: ['very secret'] }, 'gives[0]'],
    ['a pattern that is none', { match: { 'arguments.a': '(' } }, 'match["arguments.a"]'],
    ['a pattern of something else', { match: { rationale: 'a' } }, 'match["rationale"]'],
    ['a path that is none', { outside: ['a..b'] }, 'outside["a..b"]'],
    ['a member of the prototype', { roles: { ['__proto__.a']: 'object' } }, 'roles["__proto__.a"]'],
    [
      'too many roles',
      { roles: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`a${i}`, 'object'])) },
      'roles',
    ],
  ])('is refused with %s', (_what, given, path) => {
    const problems = checkTool(tool({ name: 'a', ...(given as Partial<Tool>) }));
    expect(problems.map((problem) => problem.path)).toContain(path);
  });

  it('is one of a bounded catalogue', () => {
    const many = Array.from({ length: 1_001 }, (_, at) => tool({ name: `t${at}` }));
    expect(findCatalogueProblem(many.slice(0, 1_000))).toBeNull();
    expect(findCatalogueProblem(many)).toContain('1000 tools');
    const labels = many.slice(0, 33).map((one, at) => ({ ...one, gives: [`own-${at}`] }));
    expect(findCatalogueProblem(labels)).toContain('32 labels');
    expect(findCatalogueProblem(labels.slice(0, toolLimits.catalogue.labels))).toBeNull();
    expect(
      findCatalogueProblem([tool({ name: 'a', match: { 'arguments.a': 'a'.repeat(262_144) } })]),
    ).toContain('characters');
    const steps = [tool({ name: 'a', after: Array.from({ length: 50 }, (_, at) => `s${at}`) })];
    expect(findCatalogueProblem(steps)).toBeNull();
    expect(
      findCatalogueProblem([
        ...steps,
        tool({ name: 'b', after: Array.from({ length: 15 }, (_, at) => `r${at}`) }),
      ]),
    ).toContain('64 tools');
  });
});

const AT = '2026-11-30T10:00:00.000Z';
const act = { tool: 'read', times: 1, does: ['fetch' as const], gives: ['untrusted'] };
const change = (given: Partial<SessionChange>): SessionChange => ({
  traceId: 'trc_1',
  at: AT,
  isActing: true,
  isBlocked: false,
  acts: [act],
  labels: [],
  ...given,
});

describe('the state of a session', () => {
  it('has the labels of what was let happen, with the decision that gave each first', () => {
    const one = changeSession(beginSession(AT), change({}));
    const two = changeSession(one, change({ traceId: 'trc_2', labels: ['secret'] }));
    expect(two).toMatchObject({
      labels: { untrusted: 'trc_1', secret: 'trc_2' },
      counts: { fetch: 2 },
      acts: 2,
      last: ['fetch', 'fetch'],
    });
  });

  it('has nothing of what was held, and only the count of what was blocked', () => {
    const before = beginSession(AT);
    expect(changeSession(before, change({ isActing: false }))).toEqual(before);
    const blocked = changeSession(before, change({ isActing: false, isBlocked: true }));
    expect(blocked).toEqual({ ...before, blocked: 1 });
  });

  it('ends after it was idle longer than its hours, and no earlier', () => {
    const state = beginSession(AT);
    expect(isIdle(state, '2026-12-01T10:00:00.000Z', 24)).toBe(false);
    expect(isIdle(state, '2026-12-01T10:00:00.001Z', 24)).toBe(true);
  });

  it('never loses a label, and has each that was given', () => {
    const label = fc.stringMatching(/^[a-z0-9][a-z0-9._:-]{0,31}$/);
    const changes = fc.array(
      fc.record({
        isActing: fc.boolean(),
        labels: fc.array(label, { maxLength: 32 }),
        gives: fc.array(label, { maxLength: 8 }),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(changes, (all) => {
        let state = beginSession(AT);
        for (const [at, { isActing, labels, gives }] of all.entries()) {
          const next = changeSession(
            state,
            change({ traceId: `trc_${at}`, isActing, labels, acts: [{ ...act, gives }] }),
          );
          expect(next.labels).toMatchObject(state.labels);
          const given = isActing ? gives : [];
          expect(given.every((one) => Object.hasOwn(next.labels, one))).toBe(true);
          expect(labels.every((one) => Object.hasOwn(next.labels, one))).toBe(true);
          state = next;
        }
      }),
    );
  });
});

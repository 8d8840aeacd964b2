// What a policy may ask for of those who approve, what is said of a mistake, and what several policies ask for together.
import { expect, test } from 'vitest';
import { checkPolicy } from '../src/definition.ts';
import { joinApprovals, readConfiguredApprovals } from '../src/review/approvals.ts';

const ID = '65f0000000000000000000a1';
const check = (config: object) =>
  checkPolicy([], [{ type: 'flag_for_review', config: config as never }]).map(({ text }) => text);

test.each([
  [{ steps: [{}] }],
  [{ signed: true }],
  [{ steps: [{}], signed: true }],
  [{ steps: [{ count: 2 }], inOrder: true, exclude: ['actor', 'keyMaker', 'agentOwner'] }],
  [{ steps: [{ name: 'Finance', people: [ID], count: 1 }, { roles: ['owner'] }] }],
  [{ steps: [{ agentOwner: true }] }],
])('%j is asked for', (approvals) => {
  expect(check({ approvals })).toEqual([]);
});

test.each([
  [2, 'approvals must be an object'],
  [{}, 'approvals.steps must have 1 to 8 steps, or signed must be true'],
  [{ steps: [] }, 'approvals.steps must have 1 to 8 steps, or signed must be true'],
  [{ steps: Array(9).fill({}) }, 'approvals.steps must have 1 to 8 steps, or signed must be true'],
  [
    { steps: [{}], order: true },
    'approvals has no member order: use steps, inOrder, exclude, signed',
  ],
  [{ signed: 'yes' }, 'approvals.signed must be true or false'],
  [{ signed: false }, 'approvals.steps must have 1 to 8 steps, or signed must be true'],
  [{ steps: [{}], inOrder: 'yes' }, 'approvals.inOrder must be true or false'],
  [
    { steps: [{}], exclude: ['me'] },
    'approvals.exclude must list some of actor, keyMaker, agentOwner',
  ],
  [
    { steps: [{}], exclude: ['actor', 'actor'] },
    'approvals.exclude must list some of actor, keyMaker, agentOwner',
  ],
  [{ steps: ['owner'] }, 'approvals.steps[0] must be an object'],
  [
    { steps: [{}, { need: 2 }] },
    'approvals.steps[1] has no member need: use name, roles, people, agentOwner, count',
  ],
  [{ steps: [{ name: ' ' }] }, 'approvals.steps[0].name must be a text of 1 to 60 characters'],
  [
    { steps: [{ roles: ['member'] }] },
    'approvals.steps[0].roles must list some of owner, admin, reviewer',
  ],
  [
    { steps: [{ people: ['rita'] }] },
    'approvals.steps[0].people must list at most 50 ids of users',
  ],
  [
    { steps: [{ people: [ID, ID] }] },
    'approvals.steps[0].people must list at most 50 ids of users',
  ],
  [{ steps: [{ agentOwner: 1 }] }, 'approvals.steps[0].agentOwner must be true or false'],
  [{ steps: [{ count: 0 }] }, 'approvals.steps[0].count must be a whole number from 1 to 10'],
  [{ steps: [{ count: 11 }] }, 'approvals.steps[0].count must be a whole number from 1 to 10'],
  [{ steps: [{ count: 1.5 }] }, 'approvals.steps[0].count must be a whole number from 1 to 10'],
])('of %j it says: %s', (approvals, text) => {
  expect(check({ approvals })).toEqual([text]);
});

test('what people have to approve is not approved by expiry', () => {
  const config = { approvals: { steps: [{}] }, expiresIn: 60, onExpiry: 'approve' };
  expect(check(config)).toEqual(['approvals cannot be given by expiry: leave onExpiry out']);
});

test('a step without a group is of any reviewer; one with people is of these alone', () => {
  const approvals = { steps: [{ count: 2 }, { people: [ID] }, { agentOwner: true }] };
  expect(readConfiguredApprovals({ approvals })?.steps.map(({ roles }) => roles)).toEqual([
    ['admin', 'owner', 'reviewer'],
    [],
    [],
  ]);
});

test('several policies ask for all their steps, the larger count of those that are alike, and exclude all', () => {
  const read = (approvals: object) => readConfiguredApprovals({ approvals } as never);
  const joined = joinApprovals([
    read({
      steps: [{ count: 2 }, { name: 'Finance', people: [ID] }],
      inOrder: true,
      exclude: ['actor'],
    }),
    null,
    read({ steps: [{ count: 3 }, { name: 'Legal', people: [ID] }], exclude: ['keyMaker'] }),
  ]);
  expect(joined?.steps.map(({ name, count }) => [name, count])).toEqual([
    [null, 3],
    ['Finance', 1],
    ['Legal', 1],
  ]);
  expect(joined).toMatchObject({ inOrder: false, exclude: ['actor', 'keyMaker'] });
  expect(joinApprovals([null, null])).toBe(null);
});

test('a signature is asked for if any policy asks for one, and keeps the order of the others', () => {
  const read = (approvals: object) => readConfiguredApprovals({ approvals } as never);
  const ordered = { steps: [{ roles: ['admin'] }, { roles: ['owner'] }], inOrder: true };
  const joined = joinApprovals([read(ordered), read({ signed: true })]);
  expect(joined).toMatchObject({ inOrder: true, signed: true, steps: [{}, {}] });
  expect(read({ signed: true })).toEqual({ steps: [], inOrder: false, exclude: [], signed: true });
  expect(read(ordered)).not.toHaveProperty('signed');
});

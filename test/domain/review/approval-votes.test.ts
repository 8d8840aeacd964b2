// Which approvals count, for which step, and when they are all that is asked for: tables, and what holds of any votes.
import type { Approvals, VoteStep } from '@assay/policy';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Approver } from '../../../src/domain/review/vote-places.ts';
import {
  countVotes,
  describeMissing,
  judgeVote,
  type Vote,
} from '../../../src/domain/review/approval-votes.ts';

const step = (given: Partial<VoteStep>): VoteStep => ({
  name: null,
  roles: [],
  people: [],
  agentOwner: false,
  count: 1,
  ...given,
});
const ask = (steps: VoteStep[], inOrder = false): Approvals => ({
  steps,
  inOrder,
  exclude: [],
});
const person = (userId: string, more: Partial<Approver> = {}): Approver => ({
  userId,
  role: 'reviewer',
  isAgentOwner: false,
  isExcluded: false,
  ...more,
});
const vote = (sequence: number, userId: string, content = 'a'): Vote => ({
  sequence,
  userId,
  content,
});

const TEAM = [
  person('olga', { role: 'owner' }),
  person('adam', { role: 'admin' }),
  person('rita'),
  person('rolf'),
  person('gus', { isAgentOwner: true }),
];
const REVIEWERS = step({ name: 'Reviewers', roles: ['reviewer'], count: 2 });
const FINANCE = step({ name: 'Finance', people: ['rita'] });
const MANAGERS = step({ roles: ['admin', 'owner'] });

interface Case {
  approvals: Approvals;
  votes: Vote[];
  by: string;
  content?: string;
  team?: Approver[];
  expected: unknown;
}

const CASES: Record<string, Case> = {
  'the first of two': {
    approvals: ask([REVIEWERS]),
    votes: [],
    by: 'rita',
    expected: { as: 'vote', step: 0 },
  },
  'the second of two': {
    approvals: ask([REVIEWERS]),
    votes: [vote(7, 'rita')],
    by: 'rolf',
    expected: { as: 'complete', quorum: { votes: [{ sequence: 7, step: 0 }], step: 0 } },
  },
  'the same person again': {
    approvals: ask([REVIEWERS]),
    votes: [vote(7, 'rita')],
    by: 'rita',
    expected: { as: 'repeated' },
  },
  'another group': {
    approvals: ask([REVIEWERS]),
    votes: [],
    by: 'adam',
    expected: { as: 'stranger' },
  },
  'an owner, where enough reviewers are left': {
    approvals: ask([REVIEWERS]),
    votes: [vote(7, 'rita')],
    by: 'olga',
    expected: { as: 'stranger' },
  },
  'an owner, where too few reviewers are left': {
    approvals: ask([REVIEWERS]),
    votes: [vote(7, 'rita')],
    by: 'olga',
    team: [person('olga', { role: 'owner' }), person('rita')],
    expected: { as: 'complete', quorum: { votes: [{ sequence: 7, step: 0 }], step: 0 } },
  },
  'an admin, where too few reviewers are left': {
    approvals: ask([REVIEWERS]),
    votes: [vote(7, 'rita')],
    by: 'adam',
    team: [person('adam', { role: 'admin' }), person('rita')],
    expected: { as: 'stranger' },
  },
  'one who is excluded': {
    approvals: ask([REVIEWERS]),
    votes: [],
    by: 'rita',
    team: [person('rita', { isExcluded: true }), person('rolf'), person('rosa')],
    expected: { as: 'stranger' },
  },
  'after one who has lost the role': {
    approvals: ask([REVIEWERS]),
    votes: [vote(7, 'gone')],
    by: 'rita',
    expected: { as: 'vote', step: 0 },
  },
  'with edits, after one without': {
    approvals: ask([REVIEWERS]),
    votes: [vote(7, 'rita')],
    by: 'rolf',
    content: 'b',
    expected: { as: 'vote', step: 0 },
  },
  'with the same edits, after one whose vote they annulled': {
    approvals: ask([REVIEWERS]),
    votes: [vote(7, 'rita'), vote(9, 'rolf', 'b')],
    by: 'rita',
    content: 'b',
    expected: { as: 'complete', quorum: { votes: [{ sequence: 9, step: 0 }], step: 0 } },
  },
  'as before the edits: what was annulled stays annulled': {
    approvals: ask([REVIEWERS]),
    votes: [vote(7, 'rita'), vote(9, 'rolf', 'b')],
    by: 'gus',
    expected: { as: 'vote', step: 0 },
  },
  'one who fits two steps makes room': {
    approvals: ask([step({ roles: ['reviewer'] }), FINANCE]),
    votes: [vote(7, 'rita')],
    by: 'rolf',
    expected: { as: 'complete', quorum: { votes: [{ sequence: 7, step: 1 }], step: 0 } },
  },
  'in order, the second step too early': {
    approvals: ask([FINANCE, MANAGERS], true),
    votes: [],
    by: 'adam',
    expected: { as: 'stranger' },
  },
  'in order, the second step in time': {
    approvals: ask([FINANCE, MANAGERS], true),
    votes: [vote(7, 'rita')],
    by: 'adam',
    expected: { as: 'complete', quorum: { votes: [{ sequence: 7, step: 0 }], step: 1 } },
  },
  'the owner of the agent': {
    approvals: ask([step({ agentOwner: true }), MANAGERS]),
    votes: [],
    by: 'gus',
    expected: { as: 'vote', step: 0 },
  },
};

test.each(Object.entries(CASES))(
  '%s',
  (_name, { approvals, votes, by, content = 'a', team, expected }) => {
    const people = { votes, approvers: team ?? TEAM, isWhole: true };
    expect(judgeVote(approvals, { userId: by, content }, people)).toEqual(expected);
  },
);

test('where the members are too many to list, no step is escalated', () => {
  const people = { votes: [], approvers: [person('olga', { role: 'owner' })], isWhole: false };
  const given = { userId: 'olga', content: 'a' };
  expect(judgeVote(ask([FINANCE]), given, people)).toEqual({ as: 'stranger' });
});

test.each([
  [[REVIEWERS, FINANCE], [], '2 of Reviewers, and Finance'],
  [[REVIEWERS, FINANCE], [vote(7, 'rolf')], 'Reviewers, and Finance'],
  [[MANAGERS], [], 'admin or owner'],
  [
    [step({ agentOwner: true, people: ['rita', 'rolf'] })],
    [],
    'the owner of the agent or 2 people named by the policy',
  ],
  [[step({ name: 'Legal', people: ['gone'] })], [], 'owner'],
])('%j after %j waits for %s', (steps, votes, expected) => {
  const state = countVotes(ask(steps), { votes, approvers: TEAM, isWhole: true });
  expect(describeMissing(state.steps)).toBe(expected);
});

const names = TEAM.map(({ userId }) => userId);
const steps = fc.array(
  fc.record({
    name: fc.constant(null),
    roles: fc.subarray<'owner' | 'admin' | 'reviewer'>(['owner', 'admin', 'reviewer']),
    people: fc.subarray(names),
    agentOwner: fc.boolean(),
    count: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);
const given = fc.array(
  fc.record({ userId: fc.constantFrom(...names, 'stranger'), content: fc.constantFrom('a', 'b') }),
  { maxLength: 30 },
);

test('whatever is voted: each person counts once, for one step of theirs, and complete is complete', () => {
  const run = fc.property(steps, fc.boolean(), given, (asked, inOrder, attempts) => {
    const approvals = ask(asked, inOrder);
    const votes: Vote[] = [];
    for (const { userId, content } of attempts) {
      const people = { votes, approvers: TEAM, isWhole: true };
      const judged = judgeVote(approvals, { userId, content }, people);
      if (judged.as === 'vote') votes.push(vote(votes.length + 1, userId, content));
      const { votes: counted, given: sum, needed } = countVotes(approvals, { ...people, votes });
      const counting = counted.filter((one) => one.step !== null);
      expect(new Set(counting.map((one) => one.vote.userId)).size).toBe(counting.length);
      expect(new Set(counting.map((one) => one.vote.content)).size).toBeLessThan(2);
      expect(sum).toBe(counting.length);
      if (judged.as !== 'complete') {
        expect(sum).toBeLessThan(needed);
        continue;
      }
      const places = [...judged.quorum.votes.map((one) => one.step), judged.quorum.step];
      for (const [at, { count }] of asked.entries())
        expect(places.filter((place) => place === at)).toHaveLength(count);
      const voters = judged.quorum.votes.map(({ sequence }) => votes[sequence - 1]);
      expect(voters.every((one) => one?.content === content && one.userId !== userId)).toBe(true);
      return;
    }
  });
  fc.assert(run, { numRuns: 500 });
});

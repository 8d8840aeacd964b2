// Which approvals count, for which step, and when they are all that is asked for: tables, and what holds of any votes.
import type { Approvals, VoteStep } from '@assay/policy';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseRuns } from '../../setup/runs.ts';
import { findQuorumFault } from '../../../src/domain/review/quorum-check.ts';
import type { Approver, SealedVoter } from '../../../src/domain/review/vote-places.ts';
import {
  countVotes,
  describeMissing,
  judgeVote,
  listOpenVoters,
  type Ballot,
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
interface Person extends Approver {
  isAgentOwner: boolean;
  isExcluded: boolean;
  isInvolved: boolean;
  /** Who decides in their place. */
  delegate: string | null;
}
const person = (userId: string, more: Partial<Person> = {}): Person => ({
  userId,
  role: 'reviewer',
  isAgentOwner: false,
  isExcluded: false,
  isInvolved: false,
  delegate: null,
  ...more,
});
const vote = (sequence: number, userId: string, content = 'a', more: Partial<Vote> = {}): Vote => ({
  sequence,
  userId,
  content,
  delegator: null,
  sealed: null,
  ...more,
});
function toBallot(votes: Vote[], team: readonly Person[], isWhole = true): Ballot {
  const people = new Map(team.map((one) => [one.userId, one]));
  return {
    votes,
    isWhole,
    approvers: people,
    delegators: new Map(
      team.map(({ userId }) => [
        userId,
        team.filter(({ delegate }) => delegate === userId).map((one) => one.userId),
      ]),
    ),
    agentOwner: team.find(({ isAgentOwner }) => isAgentOwner)?.userId,
    isExcluded: (userId) => people.get(userId)?.isExcluded ?? false,
    isInvolved: (userId) => people.get(userId)?.isInvolved ?? false,
  };
}

const TEAM = [
  person('olga', { role: 'owner' }),
  person('adam', { role: 'admin' }),
  person('rita'),
  person('rolf'),
  person('gus', { isAgentOwner: true }),
];
/** The team, with who decides in whose place. */
const away = (delegates: Record<string, string>): Person[] =>
  TEAM.map((one) => ({ ...one, delegate: delegates[one.userId] ?? null }));
const REVIEWERS = step({ name: 'Reviewers', roles: ['reviewer'], count: 2 });
const FINANCE = step({ name: 'Finance', people: ['rita'] });
const MANAGERS = step({ roles: ['admin', 'owner'] });

interface Case {
  approvals: Approvals;
  votes: Vote[];
  by: string;
  content?: string;
  team?: Person[];
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
  'a delegate, for the step of who is away': {
    approvals: ask([FINANCE, MANAGERS]),
    votes: [],
    by: 'rolf',
    team: away({ rita: 'rolf' }),
    expected: { as: 'vote', step: 0, delegator: 'rita' },
  },
  'a delegate who is in an open step themself': {
    approvals: ask([REVIEWERS]),
    votes: [],
    by: 'rolf',
    team: away({ rita: 'rolf' }),
    expected: { as: 'vote', step: 0, delegator: null },
  },
  'a delegate, after who is away has approved': {
    approvals: ask([step({ people: ['rita'] }), step({ people: ['rita', 'adam'] })]),
    votes: [vote(7, 'rita')],
    by: 'rolf',
    team: away({ rita: 'rolf' }),
    expected: { as: 'stranger' },
  },
  'who is away, after their delegate': {
    approvals: ask([FINANCE, REVIEWERS]),
    votes: [vote(7, 'rolf', 'a', { delegator: 'rita' })],
    by: 'rita',
    team: away({ rita: 'rolf' }),
    expected: { as: 'represented' },
  },
  'a delegate again, in their own place': {
    approvals: ask([FINANCE, REVIEWERS]),
    votes: [vote(7, 'rolf', 'a', { delegator: 'rita' })],
    by: 'rolf',
    team: away({ rita: 'rolf' }),
    expected: { as: 'repeated' },
  },
  'the delegate of a delegate': {
    approvals: ask([FINANCE]),
    votes: [],
    by: 'gus',
    team: away({ rita: 'rolf', rolf: 'gus' }),
    expected: { as: 'stranger' },
  },
  'the delegate of one who is involved': {
    approvals: ask([FINANCE]),
    votes: [],
    by: 'rolf',
    team: away({ rita: 'rolf' }).map((one) => ({ ...one, isInvolved: one.userId === 'rita' })),
    expected: { as: 'stranger' },
  },
  'a delegate who is excluded': {
    approvals: ask([FINANCE]),
    votes: [],
    by: 'rolf',
    team: away({ rita: 'rolf' }).map((one) => ({ ...one, isExcluded: one.userId === 'rolf' })),
    expected: { as: 'stranger' },
  },
  'after the delegate of one who has left': {
    approvals: ask([REVIEWERS]),
    votes: [vote(7, 'olga', 'a', { delegator: 'gone' })],
    by: 'rita',
    expected: { as: 'vote', step: 0 },
  },
  'after one who had left, and is back: their vote does not end it': {
    approvals: ask([REVIEWERS]),
    votes: [vote(7, 'rita'), vote(9, 'rolf')],
    by: 'gus',
    expected: { as: 'complete', quorum: { votes: [{ sequence: 7, step: 0 }], step: 0 } },
  },
  'one who is back gives the approval again that would have ended it': {
    approvals: ask([REVIEWERS]),
    votes: [vote(7, 'rita'), vote(9, 'rolf')],
    by: 'rolf',
    expected: { as: 'complete', quorum: { votes: [{ sequence: 7, step: 0 }], step: 0 } },
  },
  'after one who has another role now than when they approved': {
    approvals: ask([step({ roles: ['reviewer'] }), step({ roles: ['admin'] })]),
    votes: [vote(7, 'adam', 'a', { sealed: { role: 'reviewer', agentOwner: false } })],
    by: 'rita',
    expected: { as: 'vote', step: 0 },
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
    const ballot = toBallot(votes, team ?? TEAM);
    const judged = judgeVote(approvals, { userId: by, content }, ballot);
    expect({ delegator: null, ...judged }).toEqual({ delegator: null, ...(expected as object) });
    const open = listOpenVoters(approvals, ballot);
    const isAsked = judged.as === 'vote' || judged.as === 'complete';
    if (content === (votes.at(-1)?.content ?? content)) expect(open.includes(by)).toBe(isAsked);
  },
);

test('where the members are too many to list, no step is escalated', () => {
  const ballot = toBallot([], [person('olga', { role: 'owner' })], false);
  const given = { userId: 'olga', content: 'a' };
  expect(judgeVote(ask([FINANCE]), given, ballot)).toEqual({ as: 'stranger' });
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
  const state = countVotes(ask(steps), toBallot(votes, TEAM));
  expect(describeMissing(state.steps)).toBe(expected);
});

/** Rita and Adam are away: Rolf and Gus decide in their place. */
const AWAY = away({ rita: 'rolf', adam: 'gus' });
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

test(
  'whatever is voted: each person counts once, for one step of theirs, and complete is complete',
  { tags: ['varied'] },
  () => {
    const run = fc.property(steps, fc.boolean(), given, (asked, inOrder, attempts) => {
      const approvals = ask(asked, inOrder);
      const votes: Vote[] = [];
      for (const { userId, content } of attempts) {
        const ballot = toBallot([...votes], AWAY);
        const judged = judgeVote(approvals, { userId, content }, ballot);
        if (content === (votes.at(-1)?.content ?? content)) {
          const isAsked = judged.as === 'vote' || judged.as === 'complete';
          expect(listOpenVoters(approvals, ballot).includes(userId)).toBe(isAsked);
        }
        const { delegator = null } = judged as { delegator?: string | null };
        if (judged.as === 'vote')
          votes.push(vote(votes.length + 1, userId, content, { delegator }));
        const after = countVotes(approvals, toBallot(votes, AWAY));
        const { votes: counted, given: sum, needed } = after;
        const counting = counted.filter((one) => one.step !== null);
        const used = counting.flatMap((one) => [one.vote.userId, one.vote.delegator ?? []].flat());
        expect(new Set(used).size).toBe(used.length);
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
    fc.assert(run, { numRuns: chooseRuns(100, 1000) });
  },
);

/** As the service seals what a person was, and the one in whose place they approve. */
const seal = (team: readonly Person[], userId: string, delegator: string | null): SealedVoter => {
  const find = (id: string) => {
    const found = team.find((one) => one.userId === id);
    return { role: found?.role ?? null, agentOwner: found?.isAgentOwner ?? false };
  };
  return {
    ...find(userId),
    ...(delegator !== null && { delegator: { userId: delegator, ...find(delegator) } }),
  };
};

test(
  'whatever completes verifies from what was sealed, also where roles change between votes',
  { tags: ['varied'] },
  () => {
    const changed = AWAY.map((one) => ({
      ...one,
      role: one.role === 'reviewer' ? ('admin' as const) : ('reviewer' as const),
    }));
    const moments = fc.array(fc.record({ userId: fc.constantFrom(...names), has: fc.boolean() }));
    const run = fc.property(steps, fc.boolean(), moments, (asked, inOrder, attempts) => {
      const approvals = ask(asked, inOrder);
      const votes: Vote[] = [];
      for (const { userId, has } of attempts) {
        const team = has ? changed : AWAY;
        const ballot = toBallot([...votes], team);
        const before = countVotes(approvals, ballot);
        expect(before.given).toBeLessThan(before.needed);
        expect(describeMissing(before.steps)).not.toBe('');
        const judged = judgeVote(approvals, { userId, content: 'a' }, ballot);
        if (judged.as !== 'vote' && judged.as !== 'complete') continue;
        const sealed = seal(team, userId, judged.delegator);
        if (judged.as === 'vote') {
          const { delegator } = judged;
          votes.push(vote(votes.length + 1, userId, 'a', { delegator, sealed }));
          continue;
        }
        const toApproval = (one: Vote) => ({ ...one, voter: one.sealed });
        const end = {
          quorum: judged.quorum,
          last: { userId, content: 'a', voter: sealed },
          votes: new Map(votes.map((one) => [one.sequence, toApproval(one)])),
        };
        expect(findQuorumFault(approvals, end)).toBe(null);
        return;
      }
    });
    fc.assert(run, { numRuns: chooseRuns(200, 2000) });
  },
);

test.each<[string, Vote[], SealedVoter, string]>([
  [
    'a person and the one in their place',
    [vote(7, 'rita', 'a', { sealed: seal(TEAM, 'rita', null) })],
    seal(TEAM, 'rolf', 'rita'),
    'it counts a person twice',
  ],
  [
    'one in the place of an admin',
    [vote(7, 'rita', 'a', { sealed: seal(TEAM, 'rita', null) })],
    seal(TEAM, 'rolf', 'adam'),
    'it counts a vote for step 0 by a person outside it',
  ],
  [
    'one who does not decide, in the place of a reviewer',
    [vote(7, 'rita', 'a', { sealed: seal(TEAM, 'rita', null) })],
    { ...seal(TEAM, 'rolf', 'gus'), role: 'viewer' },
    'it counts a vote in the place of another by a person who does not decide',
  ],
])('an end by %s does not verify', (_name, votes, voter, fault) => {
  const end = {
    quorum: { votes: [{ sequence: 7, step: 0 }], step: 0 },
    last: { userId: 'rolf', content: 'a', voter },
    votes: new Map(votes.map((one) => [one.sequence, { ...one, voter: one.sealed }])),
  };
  expect(findQuorumFault(ask([REVIEWERS]), end)).toBe(fault);
});

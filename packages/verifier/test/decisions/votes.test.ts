// The offline verifier on votes: what several people have to approve is approved by all of them, each once.
import type { Json } from '@assay/json';
import { expect, test } from 'vitest';
import { disclosed, SampleChain } from '../../../../test/domain/record/samples/sample-chain.ts';
import { verifyPinned } from '../verification.ts';

const [RITA, ROLF, ADAM, OLGA] = ['1', '2', '3', '4'].map((digit) => digit.repeat(24)) as [
  string,
  string,
  string,
  string,
];
const ROLES: Record<string, string> = {
  [RITA]: 'reviewer',
  [ROLF]: 'reviewer',
  [ADAM]: 'admin',
  [OLGA]: 'owner',
};
const REVIEWERS = { name: null, roles: ['reviewer'], people: [], agentOwner: false, count: 2 };
const FINANCE = { name: 'Finance', roles: [], people: [RITA], agentOwner: false, count: 1 };
const OWNED = { name: null, roles: [], people: [], agentOwner: true, count: 1 };

interface History {
  steps?: Json[];
  inOrder?: boolean;
  /** The people who voted before the end, from sequence 2 on. */
  votes?: (string | { by: string; values: Record<string, Json> })[];
  /** Null: the service. */
  last?: string | null;
  /** What the last entry says of the votes; null: nothing. */
  quorum?: Json;
  values?: Record<string, Json>;
}

const APPROVED = { actionDigest: 'a'.repeat(64) };
const toVoter = (by: string): Json => ({ role: ROLES[by] ?? 'viewer', agentOwner: by === OLGA });

/** A vote in the place of another. */
const standIn = (by: string, delegator: string, role = ROLES[by]): Record<string, Json> => ({
  voter: {
    role: role ?? 'viewer',
    agentOwner: by === OLGA,
    delegator: { ...(toVoter(delegator) as object), userId: delegator },
  },
});

function build({
  steps = [REVIEWERS],
  inOrder = false,
  votes = [],
  last = ROLF,
  ...rest
}: History) {
  const { quorum = null, values = {} } = rest;
  const chain = new SampleChain();
  chain.trace({ facts: { review: { approvals: { steps, inOrder, exclude: [] } } } });
  for (const vote of votes) {
    const { by, values: more } = typeof vote === 'string' ? { by: vote, values: {} } : vote;
    chain.approve(0, 'vote', { by, values: { ...APPROVED, voter: toVoter(by), ...more } });
  }
  const counted = quorum === null ? {} : { quorum };
  const voter = last === null ? {} : { voter: toVoter(last) };
  chain.approve(0, 'review', {
    by: last,
    values: { ...APPROVED, ...voter, ...counted, ...values },
  });
  return chain.entries;
}

async function listFaults(history: History, names?: string[]): Promise<string[]> {
  const entries = build(history);
  const { problems } = await verifyPinned(disclosed(entries, names), entries.at(-1)!);
  return problems.map(({ code, message }) => `${code}: ${message}`);
}

const BOTH = { votes: [{ sequence: 2, step: 0 }], step: 0 };

test.each<[string, History]>([
  ['two reviewers', { votes: [RITA], quorum: BOTH }],
  [
    'one of two who voted, where the other has left',
    { votes: [ADAM, RITA], quorum: { votes: [{ sequence: 3, step: 0 }], step: 0 } },
  ],
  ['an owner in the place of one who is missing', { votes: [RITA], last: OLGA, quorum: BOTH }],
  ['one person by name', { steps: [FINANCE], last: RITA, quorum: { votes: [], step: 0 } }],
  ['the owner of the agent', { steps: [OWNED], last: OLGA, quorum: { votes: [], step: 0 } }],
  [
    'one in the place of Finance',
    { steps: [FINANCE], values: standIn(ROLF, RITA), quorum: { votes: [], step: 0 } },
  ],
  [
    'one in the place of a reviewer, and another',
    { votes: [{ by: ADAM, values: standIn(ADAM, RITA) }], quorum: BOTH },
  ],
  [
    'two groups in order',
    {
      steps: [FINANCE, { ...REVIEWERS, count: 1 }],
      inOrder: true,
      votes: [RITA],
      quorum: { votes: [{ sequence: 2, step: 0 }], step: 1 },
    },
  ],
])('%s approve', async (_name, history) => {
  expect(await listFaults(history)).toEqual([]);
});

test.each<[string, History, string]>([
  ['no votes', {}, 'it is approved without the votes that it needs'],
  ['the service', { last: null }, 'it is approved by no person, where several have to'],
  ['one vote too few', { quorum: { votes: [], step: 0 } }, 'it does not have the votes of step 0'],
  ['a vote that is none', { quorum: BOTH }, 'it counts a vote at 2, which is none on it'],
  ['the same person twice', { votes: [ROLF], quorum: BOTH }, 'it counts a person twice'],
  [
    'a vote counted twice',
    {
      votes: [RITA],
      quorum: {
        votes: [
          { sequence: 2, step: 0 },
          { sequence: 2, step: 0 },
        ],
        step: 0,
      },
    },
    'its votes are out of order',
  ],
  [
    'one vote too many',
    {
      votes: [RITA, OLGA],
      quorum: {
        votes: [
          { sequence: 2, step: 0 },
          { sequence: 3, step: 0 },
        ],
        step: 0,
      },
    },
    'it does not have the votes of step 0',
  ],
  [
    'a step that is none',
    {
      votes: [RITA, OLGA],
      quorum: {
        votes: [
          { sequence: 2, step: 0 },
          { sequence: 3, step: 4 },
        ],
        step: 0,
      },
    },
    'it counts a vote for no step',
  ],
  [
    'another action',
    { votes: [{ by: RITA, values: { actionDigest: 'b'.repeat(64) } }], quorum: BOTH },
    'it counts votes about another action',
  ],
  [
    'other edits',
    { votes: [{ by: RITA, values: { edits: { amount: 1 } } }], quorum: BOTH },
    'it counts votes about another action',
  ],
  [
    'an admin for a reviewer',
    { votes: [ADAM], quorum: BOTH },
    'it counts a vote for step 0 by a person outside its group',
  ],
  [
    'a reviewer for Finance',
    { steps: [FINANCE], quorum: { votes: [], step: 0 } },
    'it counts a vote for step 0 by a person outside its group',
  ],
  [
    'one in the place of a person outside the group',
    { steps: [FINANCE], last: RITA, values: standIn(RITA, ROLF), quorum: { votes: [], step: 0 } },
    'it counts a vote for step 0 by a person outside its group',
  ],
  [
    'a person and the one in their place',
    { votes: [RITA], last: ADAM, values: standIn(ADAM, RITA), quorum: BOTH },
    'it counts a person twice',
  ],
  [
    'one in the place of two',
    {
      votes: [{ by: ADAM, values: standIn(ADAM, RITA) }],
      last: ADAM,
      values: standIn(ADAM, ROLF),
      quorum: BOTH,
    },
    'it counts a person twice',
  ],
  [
    'two in the place of one',
    {
      votes: [{ by: ADAM, values: standIn(ADAM, RITA) }],
      last: OLGA,
      values: standIn(OLGA, RITA),
      quorum: BOTH,
    },
    'it counts a person twice',
  ],
  [
    'a viewer in the place of a reviewer',
    {
      votes: [{ by: ADAM, values: standIn(ADAM, RITA, 'viewer') }],
      quorum: BOTH,
    },
    'it counts a vote in the place of another by a person who does not decide',
  ],
  [
    'the second group first',
    {
      steps: [FINANCE, { ...REVIEWERS, count: 1 }],
      inOrder: true,
      votes: [ROLF],
      last: RITA,
      quorum: { votes: [{ sequence: 2, step: 1 }], step: 0 },
    },
    'its votes are out of order',
  ],
])('an approval by %s is found', async (_name, history, message) => {
  expect(await listFaults(history)).toEqual([`votes-mismatch: ${message}`]);
});

test('of what is withheld nothing is said', async () => {
  expect(await listFaults({}, ['voter'])).toEqual([]);
  expect(await listFaults({ votes: [ADAM], quorum: BOTH }, ['facts', 'quorum'])).toEqual([]);
});

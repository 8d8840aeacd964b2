// Policy templates on what a session has done and seen, by the tools that the workspace lists, and on sums.
import type { Condition } from '../definition.ts';
import type { PolicyTemplate } from './templates.ts';

const matchLabels = (...labels: string[]): Condition => ({
  field: 'session.labels',
  operator: 'any_in',
  value: labels,
});
const matchEffects = (...effects: string[]): Condition => ({
  field: 'action.does',
  operator: 'any_in',
  value: effects,
});

export const sessionTemplates: readonly PolicyTemplate[] = [
  {
    id: 'lethal-trifecta',
    name: 'The three that must not meet',
    description:
      'Blocks what carries data out of a session that has read both private data and content that outsiders wrote: together they let an attacker take the data. List your tools first; one that is not listed counts as all three.',
    category: 'security',
    conditions: [
      matchLabels('untrusted'),
      matchLabels('private', 'secret', 'internal'),
      matchEffects('outbound', 'fetch', 'execute'),
    ],
    actions: [
      {
        type: 'block',
        config: {
          reason:
            'The session has read private data and untrusted content, and this can send it out',
        },
      },
    ],
  },
  {
    id: 'proven-values',
    name: 'Proven values',
    description:
      'Holds an effect of a session that has read what outsiders wrote, where a value of it was seen nowhere, or only where outsiders write: an address, an amount, a link. What a person wrote and what your own tools know passes. Recommended; list your tools, and let the SDK say where values come from.',
    category: 'security',
    conditions: [
      matchLabels('untrusted'),
      { field: 'action.unproven', operator: 'regex', value: '.' },
    ],
    actions: [
      {
        type: 'flag_for_review',
        config: {
          reason:
            'A value of the action may come from outsiders: no person or own tool vouches for it',
        },
      },
    ],
  },
  {
    id: 'bookings-asked-for',
    name: 'Bookings that were asked for',
    description:
      'Holds a booking of a session that has read what outsiders wrote, unless a person named what is booked, or a directory lists it.',
    category: 'security',
    conditions: [
      matchLabels('untrusted'),
      { field: 'action.invented', operator: 'any_in', value: ['book'] },
    ],
    actions: [
      { type: 'flag_for_review', config: { reason: 'No person named what this would book' } },
    ],
  },
  {
    id: 'deletions-asked-for',
    name: 'Deletions that were asked for',
    description:
      'Holds a deletion of a session that has read what outsiders wrote, unless a person named what is deleted, or a directory lists it.',
    category: 'security',
    conditions: [
      matchLabels('untrusted'),
      { field: 'action.unasked', operator: 'any_in', value: ['delete'] },
    ],
    actions: [
      { type: 'flag_for_review', config: { reason: 'No person named what this would delete' } },
    ],
  },
  {
    id: 'nothing-after-untrusted',
    name: 'No effects after untrusted content',
    description:
      'Holds every effect of a session that has read content which outsiders wrote; what only reads goes on. Stricter than the three that must not meet, and simpler to explain.',
    category: 'security',
    conditions: [
      matchLabels('untrusted'),
      matchEffects('money', 'book', 'delete', 'access', 'write', 'outbound', 'execute'),
    ],
    actions: [
      {
        type: 'flag_for_review',
        config: { reason: 'The session has read untrusted content before this effect' },
      },
    ],
  },
  {
    id: 'secrets-stay',
    name: 'Secrets stay inside',
    description:
      'Blocks what can carry data out of a session that has read a secret: keys, passwords, tokens. Give the label secret to the tools whose results hold such things.',
    category: 'security',
    conditions: [matchLabels('secret'), matchEffects('outbound', 'fetch', 'execute')],
    actions: [
      {
        type: 'block',
        config: { reason: 'The session has read a secret, and this can send it out' },
      },
    ],
  },
  {
    id: 'required-before',
    name: 'Steps that come first',
    description:
      'Blocks a tool before the session has used those that have to come first, such as a backup before a deletion. Name them in the member after of each tool.',
    category: 'actions',
    conditions: [{ field: 'action.missing', operator: 'regex', value: '.' }],
    actions: [
      {
        type: 'block',
        config: { reason: 'A tool that has to come first was not used in this session' },
      },
    ],
  },
  {
    id: 'three-refusals',
    name: 'Three refusals in a session',
    description:
      'Holds everything in a session once three of its decisions were blocked: an agent that tries again and again is looked at by a person. Set the number.',
    category: 'oversight',
    conditions: [{ field: 'session.blocked', operator: 'at_least', value: 3 }],
    actions: [
      {
        type: 'flag_for_review',
        config: { reason: 'Three decisions of this session were blocked' },
      },
    ],
  },
  {
    id: 'runaway',
    name: 'Runaway sessions',
    description:
      'Holds the calls of a session beyond 100 in an hour: an agent that goes in circles stops. Set the number; it needs no list of tools.',
    category: 'oversight',
    conditions: [{ field: 'action.isToolCall', operator: 'equals', value: true }],
    actions: [
      {
        type: 'flag_for_review',
        config: {
          reason: 'The session has made 100 calls within an hour',
          limit: { of: 'acts', per: 'session', window: '1h', most: 100 },
        },
      },
    ],
  },
  {
    id: 'spending-per-day',
    name: 'Spending of a day',
    description:
      'Blocks an action by which an agent would spend more than 500 within 24 hours, all its actions together. Set the sum; no currency is converted, so choose one by a condition.',
    category: 'money',
    conditions: [{ field: 'action.totalAmount', operator: 'greater_than', value: 0 }],
    actions: [
      {
        type: 'block',
        config: {
          reason: 'The agent would spend more than 500 within 24 hours',
          limit: { of: 'action.totalAmount', per: 'agent', window: '24h', most: 500 },
        },
      },
    ],
  },
];

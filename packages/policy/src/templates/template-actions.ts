// Policy templates on what the agent does: amounts, tools, recipients, hours.
import type { Condition } from '../definition.ts';
import { buildExceptPrefixPattern, buildNameWordPattern } from './patterns.ts';
import type { PolicyTemplate } from './templates.ts';

/** Prefixes of the names of tools that only read. */
const readOnlyTools = [
  'get_',
  'list_',
  'search_',
  'find_',
  'read_',
  'lookup_',
  'check_',
  'calculate',
  'think',
  'respond',
  'escalate',
  'transfer_to_human',
];

const isToolCall: Condition = { field: 'action.isToolCall', operator: 'equals', value: true };
const isChange: Condition = {
  field: 'action.names',
  operator: 'regex',
  value: buildExceptPrefixPattern(readOnlyTools),
};

/** Conditions joined by OR; the last one joins those that follow by AND. */
function joinWithOr(...conditions: Condition[]): Condition[] {
  return conditions.map((condition, i) =>
    i === conditions.length - 1 ? condition : { ...condition, logicalOperator: 'OR' },
  );
}

function matchActionNames(words: readonly string[]): Condition {
  return { field: 'action.names', operator: 'regex', value: buildNameWordPattern(words) };
}

export const actionTemplates: readonly PolicyTemplate[] = [
  {
    id: 'spending-review',
    name: 'Spending: a person approves larger sums',
    description:
      'Holds an action for review when the amounts in its arguments come to more than 500 together, so that splitting a payment does not help. Set the limit in your currency; amounts are taken as written.',
    category: 'money',
    conditions: [{ field: 'action.totalAmount', operator: 'greater_than', value: 500 }],
    actions: [
      {
        type: 'flag_for_review',
        config: { reason: 'The amounts exceed the limit of 500 without approval' },
      },
    ],
  },
  {
    id: 'spending-limit',
    name: 'Spending: hard limit',
    description:
      'Blocks an action in which a single amount exceeds 10,000, or in which an amount cannot be read. Set the limit in your currency.',
    category: 'money',
    conditions: [{ field: 'action.largestAmount', operator: 'greater_than', value: 10_000 }],
    actions: [{ type: 'block', config: { reason: 'An amount exceeds the hard limit of 10,000' } }],
  },
  {
    id: 'money-out',
    name: 'Money out: refunds, credits and pay-outs',
    description:
      'Holds every action that gives money or its like away: refunds, credits, vouchers, certificates, compensation, pay-outs, transfers of funds.',
    category: 'money',
    conditions: [
      matchActionNames([
        'refunds?',
        'reimburse',
        'credit',
        'voucher',
        'certificate',
        'compensate',
        'compensation',
        'payout',
        'pay_out',
        'wire',
        'transfer_(?:funds|money)',
        'send_(?:money|payment)',
      ]),
    ],
    actions: [{ type: 'flag_for_review', config: { reason: 'The action gives money away' } }],
  },
  {
    id: 'irreversible-actions',
    name: 'Irreversible actions',
    description:
      'Holds what cannot be taken back: actions and tools named after deleting, dropping, cancelling, purging, revoking, terminating and the like.',
    category: 'actions',
    conditions: [
      matchActionNames([
        'delete',
        'drop',
        'destroy',
        'purge',
        'wipe',
        'erase',
        'truncate',
        'remove',
        'cancel',
        'terminate',
        'revoke',
        'void',
        'close_account',
        'unsubscribe',
      ]),
    ],
    actions: [{ type: 'flag_for_review', config: { reason: 'The action cannot be taken back' } }],
  },
  {
    id: 'bulk-operations',
    name: 'Bulk operations',
    description: 'Holds a tool call whose arguments hold a list of more than 20 items.',
    category: 'actions',
    conditions: [{ field: 'action.largestList', operator: 'greater_than', value: 20 }],
    actions: [
      {
        type: 'flag_for_review',
        config: { reason: 'The action concerns more than 20 items at once' },
      },
    ],
  },
  {
    id: 'tool-allow-list',
    name: 'Tools: allow-list',
    description:
      'Blocks every tool call whose name does not begin with one of: get_, list_, search_, find_, read_, lookup_, check_, calculate, think, respond, escalate, transfer_to_human. The pattern spells out what begins with none of them: for a list of whole names of your own, choose “is not in” in its place.',
    category: 'actions',
    conditions: [isToolCall, isChange],
    actions: [{ type: 'block', config: { reason: 'The tool is not on the allow-list' } }],
  },
  {
    id: 'code-execution',
    name: 'Code execution',
    description:
      'Holds actions that run code, shell commands or raw database statements, by name or by what they say.',
    category: 'security',
    conditions: joinWithOr(
      matchActionNames([
        'exec',
        'execute',
        'eval',
        'shell',
        'bash',
        'powershell',
        'python',
        'sql',
        'run_(?:code|command|script|query)',
      ]),
      {
        field: 'output.text',
        operator: 'regex',
        value:
          '(?i)\\brm -[rf]{2}\\b|\\b(?:curl|wget) [^|\\n]{1,80}\\| *(?:ba|z)?sh\\b|\\bdrop (?:table|database)\\b|\\bchmod 777\\b',
      },
    ),
    actions: [{ type: 'flag_for_review', config: { reason: 'The action runs code' } }],
  },
  {
    id: 'access-changes',
    name: 'Changes of access rights',
    description:
      'Holds actions that grant, share or raise rights, or that touch passwords and keys.',
    category: 'security',
    conditions: [
      matchActionNames([
        'grant',
        'invite',
        'promote',
        'impersonate',
        'permissions?',
        'roles?',
        'password',
        'api_key',
        'access_key',
        'mfa',
      ]),
      isChange,
    ],
    actions: [
      { type: 'flag_for_review', config: { reason: 'The action changes who may do what' } },
    ],
  },
  {
    id: 'external-email',
    name: 'E-mail to outside addresses',
    description:
      'Holds an action that names an e-mail address outside example.com. Replace that by your own domains, or by a list of them: as it stands every real address counts as outside.',
    category: 'privacy',
    conditions: [
      {
        field: 'action.recipientDomains',
        operator: 'in',
        value: ['example.com'],
        not: true,
      },
    ],
    actions: [
      {
        type: 'flag_for_review',
        config: { reason: 'The action reaches an outside e-mail address' },
      },
    ],
  },
  {
    id: 'out-of-hours',
    name: 'Out of hours',
    description:
      'Holds tool calls that change something before 06:00, from 20:00, and on Saturdays and Sundays (UTC, server time). Shift the hours to your own.',
    category: 'oversight',
    conditions: [
      ...joinWithOr(
        { field: 'time.hourUtc', operator: 'less_than', value: 6 },
        { field: 'time.hourUtc', operator: 'greater_than', value: 19 },
        { field: 'time.weekdayUtc', operator: 'greater_than', value: 5 },
      ),
      isToolCall,
      isChange,
    ],
    actions: [
      { type: 'flag_for_review', config: { reason: 'No person is on duty to notice a mistake' } },
    ],
  },
  {
    id: 'production-changes',
    name: 'Changes in production',
    description:
      'Tells the team of every tool call that changes something where metadata.environment is "production". Make it a review by changing the action.',
    category: 'oversight',
    conditions: [
      { field: 'metadata.environment', operator: 'equals', value: 'production' },
      isToolCall,
      isChange,
    ],
    actions: [{ type: 'notify' }],
  },
  {
    id: 'adverse-decisions',
    name: 'Decisions against a person',
    description:
      'Holds decisions that refuse, reject, suspend or dismiss, so that a person makes the final choice (human oversight of decisions with serious effect).',
    category: 'oversight',
    conditions: [
      matchActionNames([
        'deny',
        'reject',
        'refuse',
        'decline',
        'suspend',
        'ban',
        'evict',
        'dismiss',
        'fire',
        'disqualify',
      ]),
    ],
    actions: [
      { type: 'flag_for_review', config: { reason: 'The decision goes against a person' } },
    ],
  },
  {
    id: 'missing-rationale',
    name: 'Missing rationale',
    description:
      'Holds a tool call that changes something and gives no reason, or one of fewer than 20 characters. Tools that only read are left alone.',
    category: 'quality',
    conditions: [
      isToolCall,
      { field: 'output.rationaleLength', operator: 'less_than', value: 20 },
      isChange,
    ],
    actions: [
      {
        type: 'flag_for_review',
        config: { reason: 'The agent changes something and gives no reason' },
      },
    ],
  },
  {
    id: 'handover',
    name: 'Handover to a person',
    description: 'Tells the team when the agent gives up and hands over to a person.',
    category: 'oversight',
    conditions: [
      matchActionNames([
        'escalate',
        'handover',
        'hand_over',
        'hand_off',
        'transfer_to_human',
        'transfer_to_agent',
      ]),
    ],
    actions: [{ type: 'notify' }],
  },
];

// The type of each fact of a decision, and the conditions that can therefore never hold (docs/policies.md, facts).
import type { Json } from '../../record/json.ts';
import type { Condition, Problem } from '../definition.ts';

type Kind = 'text' | 'number' | 'boolean' | 'null' | 'list' | 'object';

/** Null: any JSON. */
type FactType = {
  kinds: readonly Kind[];
  /** Members of an object; other members have any type when it is `open`, and do not exist otherwise. */
  members?: Readonly<Record<string, FactType | null>>;
  open?: boolean;
  /** The type of a list's items. */
  items?: FactType | null;
} | null;

const ANY = null;
const text: FactType = { kinds: ['text'] };
const number: FactType = { kinds: ['number'] };
const boolean: FactType = { kinds: ['boolean'] };
const texts: FactType = { kinds: ['list'], items: text };
const closed = (members: Readonly<Record<string, FactType>>): FactType => ({
  kinds: ['object'],
  members,
});
const open = (members: Readonly<Record<string, FactType>>): FactType => ({
  kinds: ['object'],
  members,
  open: true,
});
const alternatives: FactType = {
  kinds: ['list'],
  items: open({ decision: ANY, confidence: number }),
};

const facts = closed({
  agentId: text,
  agentVersion: text,
  schemaVersion: text,
  inputContext: open({ prompt: text, systemPrompt: text, conversationId: text, context: ANY }),
  outputDecision: open({
    action: { kinds: ['text', 'object'], members: {}, open: true },
    rationale: text,
    alternatives,
    toolCalls: { kinds: ['list'], items: ANY },
  }),
  rationale: text,
  alternatives,
  triggeringCondition: text,
  metadata: open({}),
  timestamp: text,
  adapter: ANY,
  mlBomReference: ANY,
  art12: ANY,
  conversation: ANY,
  crew: ANY,
  agentName: { kinds: ['text', 'null'] },
  confidenceScore: number,
  tags: texts,
  pii: closed({ types: texts, outputTypes: texts }),
  time: closed({ hourUtc: number, weekdayUtc: number, instant: text }),
  action: closed({
    names: texts,
    isToolCall: boolean,
    largestAmount: number,
    totalAmount: number,
    largestList: number,
    recipientDomains: texts,
  }),
  output: closed({ text, rationaleLength: number }),
});

/** The conditions that can never hold, whatever the decision: a field that no decision has, or a comparison between types. */
export function typeProblems(conditions: readonly Condition[]): Problem[] {
  return conditions.flatMap((condition, i) => {
    const found = typeAt(condition.field);
    if ('problem' in found) return [{ path: `conditions.${i}.field`, text: found.problem }];
    const problem = found.type && comparisonProblem(condition, found.type);
    return problem ? [{ path: `conditions.${i}.value`, text: problem }] : [];
  });
}

function typeAt(field: string): { type: FactType } | { problem: string } {
  let type: FactType = facts;
  let path = '';
  for (const segment of field.split('.')) {
    if (type === null) return { type };
    const next = below(type, segment);
    if (next === undefined) return { problem: noMember(type, path, segment) };
    type = next;
    path = path === '' ? segment : `${path}.${segment}`;
  }
  return { type };
}

/** The type of a member or item; undefined when there is none. */
function below(
  { kinds, members, open: isOpen, items }: NonNullable<FactType>,
  segment: string,
): FactType | undefined {
  if (kinds.includes('list')) return /^(?:0|[1-9]\d*)$/.test(segment) ? items : undefined;
  if (members && Object.hasOwn(members, segment)) return members[segment];
  return isOpen === true ? ANY : undefined;
}

function noMember(
  { kinds, members }: NonNullable<FactType>,
  path: string,
  segment: string,
): string {
  if (path === '') return `no decision has a fact ${JSON.stringify(segment)}`;
  if (members)
    return `${path} has no member ${JSON.stringify(segment)}, only ${Object.keys(members).join(', ')}`;
  return kinds.includes('list')
    ? `${path} is a list, and is reached into by an index`
    : `${path} is ${named(kinds)} and has no members`;
}

function comparisonProblem(
  { field, operator, value }: Condition,
  type: NonNullable<FactType>,
): string | null {
  const { kinds } = type;
  const never = (what: string): string =>
    `${field} is ${named(kinds)}: ${what}, so that this is never true`;
  switch (operator) {
    case 'equals':
      return kinds.includes(kindOf(value))
        ? null
        : never(`it does not equal ${named([kindOf(value)])}`);
    case 'contains':
      return canContain(type, value)
        ? null
        : never(`it does not contain ${named([kindOf(value)])}`);
    case 'regex':
      return kinds.includes('text') || kinds.includes('list')
        ? null
        : never('patterns are searched for in texts and lists');
    default:
      return kinds.includes(kindOf(value))
        ? null
        : never(typeof value === 'string' ? 'it is no date' : 'it is no number');
  }
}

function canContain({ kinds, items }: NonNullable<FactType>, value: Json): boolean {
  if (kinds.includes('list')) return items == null || items.kinds.includes(kindOf(value));
  return kinds.includes('text') && typeof value === 'string';
}

function kindOf(value: Json): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return ({ string: 'text', number: 'number', boolean: 'boolean', object: 'object' } as const)[
    typeof value as 'string' | 'number' | 'boolean' | 'object'
  ];
}

const names: Readonly<Record<Kind, string>> = {
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  list: 'a list',
  object: 'an object',
};

function named(kinds: readonly Kind[]): string {
  return kinds.map((kind) => names[kind]).join(' or ');
}

// The type of each fact of a decision, and the conditions that can therefore never hold (policies.md, facts).
import type { Json } from '@assay/json';
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
const createClosedType = (members: Readonly<Record<string, FactType>>): FactType => ({
  kinds: ['object'],
  members,
});
const createOpenType = (members: Readonly<Record<string, FactType>>): FactType => ({
  kinds: ['object'],
  members,
  open: true,
});
const alternatives: FactType = {
  kinds: ['list'],
  items: createOpenType({ decision: ANY, confidence: number }),
};

const facts = createClosedType({
  agentId: text,
  agentVersion: text,
  schemaVersion: text,
  inputContext: createOpenType({
    prompt: text,
    systemPrompt: text,
    conversationId: text,
    context: ANY,
  }),
  outputDecision: createOpenType({
    action: { kinds: ['text', 'object'], members: {}, open: true },
    rationale: text,
    alternatives,
    toolCalls: { kinds: ['list'], items: ANY },
  }),
  rationale: text,
  alternatives,
  triggeringCondition: text,
  metadata: createOpenType({}),
  timestamp: text,
  adapter: ANY,
  mlBomReference: ANY,
  art12: ANY,
  conversation: ANY,
  crew: ANY,
  agentName: { kinds: ['text', 'null'] },
  confidenceScore: number,
  tags: texts,
  pii: createClosedType({ types: texts, outputTypes: texts }),
  time: createClosedType({ hourUtc: number, weekdayUtc: number, instant: text }),
  action: createClosedType({
    names: texts,
    isToolCall: boolean,
    largestAmount: number,
    totalAmount: number,
    largestList: number,
    recipientDomains: texts,
    does: texts,
    listed: boolean,
    missing: texts,
    unproven: texts,
    invented: texts,
    unasked: texts,
    promptSeen: boolean,
  }),
  session: createClosedType({
    labels: texts,
    count: number,
    blocked: number,
    did: texts,
    last: texts,
    ageSeconds: number,
    named: boolean,
  }),
  output: createClosedType({ text, rationaleLength: number }),
  principal: createClosedType({ verified: boolean, human: boolean, depth: number }),
});

/** The conditions that can never hold, whatever the decision: a field that no decision has, or a comparison between types. */
export function findTypeProblems(conditions: readonly Condition[]): Problem[] {
  return conditions.flatMap((condition, i) => {
    const found = findFactType(condition.field);
    if ('problem' in found) return [{ path: `conditions.${i}.field`, text: found.problem }];
    const problem = found.type && findTypeConflict(condition, found.type);
    return problem ? [{ path: `conditions.${i}.value`, text: problem }] : [];
  });
}

function findFactType(field: string): { type: FactType } | { problem: string } {
  let type: FactType = facts;
  let path = '';
  for (const segment of field.split('.')) {
    if (type === null) return { type };
    const next = getInnerType(type, segment);
    if (next === undefined) return { problem: describeMissingMember(type, path, segment) };
    type = next;
    path = path === '' ? segment : `${path}.${segment}`;
  }
  return { type };
}

/** The type of a member or item; undefined when there is none. */
function getInnerType(
  { kinds, members, open: isOpen, items }: NonNullable<FactType>,
  segment: string,
): FactType | undefined {
  if (kinds.includes('list')) return /^(?:0|[1-9]\d*)$/.test(segment) ? items : undefined;
  if (members && Object.hasOwn(members, segment)) return members[segment];
  return isOpen === true ? ANY : undefined;
}

function describeMissingMember(
  { kinds, members }: NonNullable<FactType>,
  path: string,
  segment: string,
): string {
  if (path === '') return `no decision has a fact ${JSON.stringify(segment)}`;
  if (members)
    return `${path} has no member ${JSON.stringify(segment)}, only ${Object.keys(members).join(', ')}`;
  return kinds.includes('list')
    ? `${path} is a list, and is reached into by an index`
    : `${path} is ${describeKinds(kinds)} and has no members`;
}

function findTypeConflict(
  { field, operator, value, not: isNegated }: Condition,
  type: NonNullable<FactType>,
): string | null {
  const { kinds } = type;
  const explainNever = (what: string): string =>
    `${field} is ${describeKinds(kinds)}: ${what}, so that this is ${isNegated === true ? 'always' : 'never'} true`;
  switch (operator) {
    case 'equals':
      return kinds.includes(getKind(value))
        ? null
        : explainNever(`it does not equal ${describeKinds([getKind(value)])}`);
    case 'contains':
      return mayContain(type, value)
        ? null
        : explainNever(`it does not contain ${describeKinds([getKind(value)])}`);
    case 'in':
    case 'any_in':
      return mayBeListed(type, value) ? null : explainNever('none of the values is of that type');
    case 'regex':
      return kinds.includes('text') || kinds.includes('list')
        ? null
        : explainNever('patterns are searched for in texts and lists');
    default:
      return kinds.includes(getKind(value))
        ? null
        : explainNever(typeof value === 'string' ? 'it is no date' : 'it is no number');
  }
}

function mayContain({ kinds, items }: NonNullable<FactType>, value: Json): boolean {
  if (kinds.includes('list')) return items == null || items.kinds.includes(getKind(value));
  return kinds.includes('text') && typeof value === 'string';
}

/** Whether one of the values may be that of the field or of an item; a named list may hold any. */
function mayBeListed({ kinds, items }: NonNullable<FactType>, value: Json): boolean {
  if (!Array.isArray(value)) return true;
  const possible = kinds.includes('list') ? items?.kinds : kinds;
  return possible === undefined || value.some((one) => possible.includes(getKind(one)));
}

function getKind(value: Json): Kind {
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

function describeKinds(kinds: readonly Kind[]): string {
  return kinds.map((kind) => names[kind]).join(' or ');
}

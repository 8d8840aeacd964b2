// The rule language for the editor: colours, and completion of clauses, fields and operators.
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import {
  HighlightStyle,
  StreamLanguage,
  type StringStream,
  syntaxHighlighting,
} from '@codemirror/language';
import { tags } from '@lezer/highlight';

const CLAUSES = [
  'policy',
  'description',
  'priority',
  'disabled',
  'when',
  'then',
  'logicalOperators',
];
const ACTIONS = ['block', 'flag_for_review', 'notify', 'approve'];
/** Facts of a decision, with what they are; `docs/guides/policies.md` has all of them. */
export const FIELDS: readonly { field: string; about: string }[] = [
  { field: 'action.names', about: 'tools and verbs of the action' },
  { field: 'action.largestAmount', about: 'the largest sum of money in it' },
  { field: 'confidenceScore', about: '0 to 1' },
  { field: 'outputDecision.action', about: 'the action as it was sent' },
  { field: 'outputDecision.action.tool', about: 'name of the tool' },
  { field: 'outputDecision.rationale', about: 'why the agent wants it' },
  { field: 'inputContext.prompt', about: 'what the agent was asked' },
  { field: 'inputContext.systemPrompt', about: 'its instructions' },
  { field: 'agentName', about: 'name of the agent' },
  { field: 'agentVersion', about: 'version of the agent' },
  { field: 'tags', about: 'marks of the scoring, such as ANOMALY' },
  { field: 'pii.types', about: 'kinds of personal data in it' },
  { field: 'pii.outputTypes', about: 'kinds of personal data in the output' },
  { field: 'time.hourUtc', about: '0 to 23, in UTC' },
  { field: 'time.weekdayUtc', about: 'day of the week, in UTC' },
  { field: 'metadata', about: 'what the agent adds: metadata.region' },
  { field: 'triggeringCondition', about: 'what led to the decision' },
];

const tokens = StreamLanguage.define<null>({ token: readToken });

/** Returns the name of the next token's kind; null: it has no colour. */
function readToken(stream: StringStream): string | null {
  if (stream.match(/\/\/.*/)) return 'comment';
  if (stream.match(/r?"(?:[^"\\]|\\.)*"?/)) return 'string';
  if (stream.match(/-?\d+(\.\d+)?/)) return 'number';
  if (stream.match(/&&|\|\||==|<|>/)) return 'operator';
  const word = stream.match(/[A-Za-z_]\w*/);
  if (word && word !== true) return identifyWord(word[0]);
  stream.next();
  return null;
}

function identifyWord(word: string): string | null {
  if (CLAUSES.includes(word)) return 'keyword';
  if (ACTIONS.includes(word)) return 'atom';
  return ['contains', 'matches', 'timestamp', 'fact'].includes(word) ? 'operator' : 'variableName';
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, fontWeight: '650' },
  { tag: tags.atom, color: 'var(--assay-held)', fontWeight: '650' },
  { tag: tags.string, color: 'var(--assay-approved)' },
  { tag: tags.number, color: 'var(--mantine-color-anchor)' },
  { tag: tags.operator, color: 'var(--mantine-color-anchor)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)' },
]);

export const ruleLanguage = [tokens, syntaxHighlighting(colours)];

export function completeRule(context: CompletionContext): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const member = /\.(\w*)$/.exec(before);
  const known = FIELDS.some(({ field }) => before.endsWith(`${field}.`));
  if (member && known)
    return {
      from: context.pos - (member[1]?.length ?? 0),
      options: [
        { label: 'contains', type: 'function', apply: 'contains("")' },
        { label: 'matches', type: 'function', apply: 'matches(r"")' },
      ],
    };
  const word = context.matchBefore(/[\w.]+/);
  if (!word && !context.explicit) return null;
  return {
    from: word?.from ?? context.pos,
    options: [
      ...CLAUSES.map((label) => ({ label, type: 'keyword' })),
      ...ACTIONS.map((label) => ({ label, type: 'constant' })),
      ...FIELDS.map(({ field, about }) => ({ label: field, detail: about, type: 'variable' })),
    ],
  };
}

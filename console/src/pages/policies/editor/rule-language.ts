// The rule language for the editor: colours, and completion of clauses, fields and operators.
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import {
  HighlightStyle,
  StreamLanguage,
  type StringStream,
  syntaxHighlighting,
} from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { FIELDS } from './rule-fields.ts';

const CLAUSES = [
  'policy',
  'description',
  'priority',
  'disabled',
  'observe',
  'when',
  'then',
  'logicalOperators',
];
const OPERATIONS = ['contains', 'matches', 'anyIn', 'in', 'list', 'timestamp', 'fact'];
const ACTIONS = ['block', 'flag_for_review', 'notify', 'approve'];

const tokens = StreamLanguage.define<null>({ token: readToken });

/** Returns the name of the next token's kind; null: it has no colour. */
function readToken(stream: StringStream): string | null {
  if (stream.match(/\/\/.*/)) return 'comment';
  if (stream.match(/r?"(?:[^"\\]|\\.)*"?/)) return 'string';
  if (stream.match(/-?\d+(\.\d+)?/)) return 'number';
  if (stream.match(/&&|\|\||[=!<>]=|[<>!]/)) return 'operator';
  const word = stream.match(/[A-Za-z_]\w*/);
  if (word && word !== true) return identifyWord(word[0]);
  stream.next();
  return null;
}

function identifyWord(word: string): string | null {
  if (CLAUSES.includes(word)) return 'keyword';
  if (ACTIONS.includes(word)) return 'atom';
  return OPERATIONS.includes(word) ? 'operator' : 'variableName';
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
        { label: 'anyIn', type: 'function', apply: 'anyIn([""])' },
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

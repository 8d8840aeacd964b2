// Extracts the texts of a decision that the memory search indexes: question and answer.
import type { Json } from '../../../domain/record/json.ts';
import type { TraceView } from '../traces.view.ts';
import { truncate } from '../../../domain/names/truncate.ts';

type Texts = Pick<TraceView, 'inputContext' | 'outputDecision' | 'rationale'>;

/** Characters of each text that are indexed. */
const LENGTH = 2000;

/** Question and answer; empty if the decision has none. */
export function textsOf({ inputContext, outputDecision, rationale }: Texts): [string, string] {
  const { prompt } = membersOf(inputContext);
  const { decision, action } = membersOf(outputDecision);
  const decided = [rationale, decision ?? action].map(textOf).join('\n');
  return [cut(textOf(prompt)), cut(decided)];
}

const cut = (text: string): string => truncate(text.trim(), LENGTH);

function membersOf(value: Json): Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function textOf(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

// Extracts the texts of a decision that the memory search indexes: question and answer.
import { type Json, truncate } from '@assay/json';
import { readOccasion } from '../../../domain/record/input-context.ts';
import type { TraceView } from '../traces.view.ts';

type Texts = Pick<TraceView, 'inputContext' | 'outputDecision' | 'rationale'>;

/** Characters of each text that are indexed. */
const LENGTH = 2000;

/** Question and answer; empty if the decision has none. */
export function extractTexts({ inputContext, outputDecision, rationale }: Texts): [string, string] {
  const { decision, action } = toMembers(outputDecision);
  const decided = [rationale, decision ?? action].map(toText).join('\n');
  return [truncateText(toText(readOccasion(inputContext))), truncateText(decided)];
}

const truncateText = (text: string): string => truncate(text.trim(), LENGTH);

function toMembers(value: Json): Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function toText(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

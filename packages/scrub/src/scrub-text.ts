// Scrubs one text: inspects it, folds it if needed, runs the rules for its features, and replaces findings by markers.
import type { Work } from '@assay/patterns';
import { type Folded, foldText } from './fold.ts';
import type { LabelClass } from './rules/label.ts';
import { inspectText, mayBePersonal, textFeatures } from './inspect.ts';
import { type DetectionType, type Rule, type Span, findSpans } from './rule.ts';

export interface ScrubbedText {
  /** The same string when nothing was found. */
  text: string;
  /** The types of the findings. */
  detections: ReadonlySet<DetectionType>;
}

interface Finding extends Span {
  type: DetectionType;
  /** The index of the rule: the lowest wins an overlap. */
  rank: number;
}

/**
 * A marker can expose data beside it, so texts take several passes. One that needs more was crafted, and is replaced
 * whole.
 */
const maximumPasses = 8;
const nothing: ReadonlySet<DetectionType> = new Set();

/** Replaces a text that was not scrubbed to the end. */
const REDACTED = '[REDACTED]';

/** The work of a character: to inspect it, to fold it, and to read it by one rule. */
const PER_CHARACTER = { inspection: 2, folding: 8, rules: 0.75 };

/** The rules to apply, and the work they may cause. */
export interface Scrubbing {
  rules: readonly Rule[];
  work: Work;
}

/**
 * Scrubs a text; `label` is the class of the object key that it is the value of, and is read as if the text started
 * with `label: `. When the work is used up, a text that can be personal data is replaced whole.
 */
export function scrubText(
  text: string,
  label: LabelClass | null,
  scrubbing: Scrubbing,
): ScrubbedText {
  if (!mayBePersonal(text)) return { text, detections: nothing };
  let current = text;
  let detections = nothing;
  for (let pass = 0; pass < maximumPasses; pass++) {
    const next = runPass(current, label, scrubbing);
    if (scrubbing.work.left === 0) break;
    if (next === null) return { text: current, detections };
    current = next.text;
    detections = new Set([...detections, ...next.types]);
  }
  return { text: REDACTED, detections };
}

/** A text with markers, and the types of the findings. */
interface Marked {
  text: string;
  types: DetectionType[];
}

/** Runs one pass; null when nothing is found. */
function runPass(
  text: string,
  label: LabelClass | null,
  { rules, work }: Scrubbing,
): Marked | null {
  if (!work.take(text.length * PER_CHARACTER.inspection)) return null;
  const features = inspectText(text);
  if (features === 0) return null;
  if ((features & textFeatures.foldable) === 0)
    return insertMarkers(text, scanText(text, label, { rules, work, features }));
  if (!work.take(text.length * PER_CHARACTER.folding)) return null;
  const folded = foldText(text);
  return insertMarkers(text, scanFoldedText(folded, label, { rules, work }));
}

/** The findings in a folded text, with offsets in the original. */
function scanFoldedText(
  { text, origin }: Folded,
  label: LabelClass | null,
  { rules, work }: Scrubbing,
): Finding[] {
  const features = inspectText(text);
  const findings = scanText(text, label, { rules, work, features });
  for (const finding of findings) {
    finding.start = origin[finding.start] ?? 0;
    finding.end = origin[finding.end] ?? 0;
  }
  return findings;
}

/** The findings of all applicable rules, without overlaps, in ascending order. */
function scanText(
  text: string,
  label: LabelClass | null,
  { rules, work, features }: Scrubbing & { features: number },
): Finding[] {
  const prefix = label === null ? '' : `${label}: `;
  const search = { text: prefix + text, work };
  const findings: Finding[] = [];
  for (let rank = 0; rank < rules.length; rank++) {
    const rule = rules[rank] as Rule;
    const { type, needs } = rule;
    if ((features & needs) === 0 || !work.take(search.text.length * PER_CHARACTER.rules)) continue;
    for (const { start, end } of findSpans(search, rule))
      findings.push({ type, rank, start: start - prefix.length, end: end - prefix.length });
  }
  return mergeFindings(findings);
}

/** Sorts findings and merges overlapping ones into one that spans them all, of the rule with the lowest rank. */
function mergeFindings(findings: Finding[]): Finding[] {
  const result: Finding[] = [];
  for (const finding of findings.sort(
    (left, right) => left.start - right.start || left.rank - right.rank,
  )) {
    const last = result.at(-1);
    if (last === undefined || finding.start >= last.end) result.push(finding);
    else
      result[result.length - 1] = {
        ...(finding.rank < last.rank ? finding : last),
        start: last.start,
        end: Math.max(last.end, finding.end),
      };
  }
  return result;
}

function insertMarkers(text: string, findings: readonly Finding[]): Marked | null {
  if (findings.length === 0) return null;
  let result = '';
  let from = 0;
  for (const { type, start, end } of findings) {
    const quote = findQuote(text, start, end);
    result += `${text.slice(from, start)}${quote}[${type}]${quote}`;
    from = end;
  }
  return { text: result + text.slice(from), types: findings.map(({ type }) => type) };
}

/** The quotes that keep JSON text valid when a marker replaces a bare number: those of its key; none elsewhere. */
function findQuote(text: string, start: number, end: number): string {
  if (!/^\s{0,8}[,}\]]/.test(text.slice(end, end + 9))) return '';
  return /(\\{0,15}")\s{0,8}:\s{0,8}$/.exec(text.slice(Math.max(0, start - 40), start))?.[1] ?? '';
}

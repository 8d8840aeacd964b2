// Scrubbing of one text: look, fold when needed, ask the rules whose needs were seen, put markers in place of what they find.
import { fold } from './fold.ts';
import type { LabelClass } from './rules/label.ts';
import { inspect, textFeatures } from './inspect.ts';
import type { DetectionType, Rule, Span } from './rule.ts';

export interface ScrubbedText {
  /** The same string when nothing was found. */
  text: string;
  /** Types found. */
  detections: ReadonlySet<DetectionType>;
}

interface Finding extends Span {
  type: DetectionType;
  /** Place of the rule among the rules. */
  rank: number;
}

/** A marker may lay bare what its neighbour hid; text that takes more passes than this was made to, and is replaced whole. */
const maximumPasses = 8;
const nothing: ReadonlySet<DetectionType> = new Set();

/** Scrubs a text; `label` says what an object's key announces, and is read as if `label: ` stood before the text. */
export function scrubText(
  text: string,
  rules: readonly Rule[],
  label: LabelClass | null = null,
): ScrubbedText {
  let current = text;
  let detections = nothing;
  for (let pass = 0; pass < maximumPasses; pass++) {
    const next = onePass(current, rules, label);
    if (next === null) return { text: current, detections };
    current = next.text;
    detections = new Set([...detections, ...next.types]);
  }
  return { text: '[REDACTED]', detections };
}

/** The text with markers, and the types found; null when nothing is. */
function onePass(
  text: string,
  rules: readonly Rule[],
  label: LabelClass | null,
): { text: string; types: DetectionType[] } | null {
  const mask = inspect(text);
  if (mask === 0) return null;
  if ((mask & textFeatures.foldable) === 0)
    return marked(text, findingsIn(text, label, { rules, mask }));
  const folded = fold(text);
  const findings = findingsIn(folded.text, label, { rules, mask: inspect(folded.text) });
  return marked(
    text,
    findings.map(({ start, end, ...finding }) => ({
      ...finding,
      start: folded.origin[start] ?? 0,
      end: folded.origin[end] ?? text.length,
    })),
  );
}

/** What the rules find, in any order, each with the rank of its rule. */
function findingsIn(
  text: string,
  label: LabelClass | null,
  { rules, mask }: { rules: readonly Rule[]; mask: number },
): Finding[] {
  const prefix = label === null ? '' : `${label}: `;
  const findings: Finding[] = [];
  rules.forEach(({ type, needs, find }, rank) => {
    if ((mask & needs) === 0) return;
    for (const { start, end } of find(prefix + text))
      findings.push({ type, rank, start: start - prefix.length, end: end - prefix.length });
  });
  return findings.length < 2 ? findings : merged(findings);
}

/** In ascending order; findings that overlap become one that spans them all, of the rule that comes first. */
function merged(findings: Finding[]): Finding[] {
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

function marked(
  text: string,
  findings: readonly Finding[],
): { text: string; types: DetectionType[] } | null {
  if (findings.length === 0) return null;
  let result = '';
  let from = 0;
  for (const { type, start, end } of findings) {
    const quote = quoteFor(text, start, end);
    result += `${text.slice(from, start)}${quote}[${type}]${quote}`;
    from = end;
  }
  return { text: result + text.slice(from), types: findings.map(({ type }) => type) };
}

/** The quotes that keep JSON text whole where a bare number behind a key becomes a marker: those of the key; none elsewhere. */
function quoteFor(text: string, start: number, end: number): string {
  if (!/^\s{0,8}[,}\]]/.test(text.slice(end, end + 9))) return '';
  return /(\\{0,15}")\s{0,8}:\s{0,8}$/.exec(text.slice(Math.max(0, start - 40), start))?.[1] ?? '';
}

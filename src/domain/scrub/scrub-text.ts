// Scrubs one text: inspects it, folds it if needed, runs the rules whose features it has, and replaces what they find by markers.
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
  /** The index of the rule: the lowest wins an overlap. */
  rank: number;
}

/** A marker can expose what its neighbour hid. A text that takes more passes than this was crafted to, and is replaced whole. */
const maximumPasses = 8;
const nothing: ReadonlySet<DetectionType> = new Set();

/** Scrubs a text; `label` is the class of the object key that it is the value of, and is read as if the text started with `label: `. */
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

/** The text with markers, and the types found; null when there are none. */
function onePass(
  text: string,
  rules: readonly Rule[],
  label: LabelClass | null,
): { text: string; types: DetectionType[] } | null {
  const features = inspect(text);
  if (features === 0) return null;
  if ((features & textFeatures.foldable) === 0)
    return withMarkers(text, findingsIn(text, label, { rules, features }));
  const folded = fold(text);
  const findings = findingsIn(folded.text, label, { rules, features: inspect(folded.text) });
  return withMarkers(
    text,
    findings.map(({ start, end, ...finding }) => ({
      ...finding,
      start: folded.origin[start] ?? 0,
      end: folded.origin[end] ?? text.length,
    })),
  );
}

/** The findings of all rules that apply; without overlaps, in ascending order. */
function findingsIn(
  text: string,
  label: LabelClass | null,
  { rules, features }: { rules: readonly Rule[]; features: number },
): Finding[] {
  const prefix = label === null ? '' : `${label}: `;
  const findings: Finding[] = [];
  rules.forEach(({ type, needs, find }, rank) => {
    if ((features & needs) === 0) return;
    for (const { start, end } of find(prefix + text))
      findings.push({ type, rank, start: start - prefix.length, end: end - prefix.length });
  });
  return merged(findings);
}

/** In ascending order; overlapping findings become one that spans them all, of the rule with the lowest rank. */
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

function withMarkers(
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

/** The quotes that keep JSON text valid where a marker replaces a bare number after a key: those of the key; none elsewhere. */
function quoteFor(text: string, start: number, end: number): string {
  if (!/^\s{0,8}[,}\]]/.test(text.slice(end, end + 9))) return '';
  return /(\\{0,15}")\s{0,8}:\s{0,8}$/.exec(text.slice(Math.max(0, start - 40), start))?.[1] ?? '';
}

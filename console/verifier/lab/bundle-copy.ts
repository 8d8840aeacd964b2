// A copy of a bundle, altered as an attacker would, with or without computing the hashes again.
import { hashSha256 } from '@assay/verifier';
import type { EntryRow, Tampering } from '../protocol.ts';

/** A bundle as its lines: header, entries without commas, footer. */
export interface Opened {
  header: string;
  entries: string[];
  footer: string;
}

interface Entry {
  sequence: number;
  prevHash: string;
  payloadDigest: string;
  chainHash: string;
  createdAt: string;
  traceId: string | null;
  view: { kind?: unknown } & Record<string, unknown>;
}

const SHOWN_AROUND = 48;
/** What is changed first: what an attacker wants to change, then anything that is there. */
const TARGETS = [
  /"status":"(\w)/,
  /"decision":"(\w)/,
  /"action":"(\w)/,
  /"workspaceId":"(\w)/,
  /"view":\{.*?"commitments":\{[^}]*?":"([0-9a-f])/,
  /"createdAt":"\d{4}-\d\d-\d\dT\d\d:\d(\d)/,
];

/** Opens the text of a bundle; null when its lines are not those of one. */
export function openBundle(text: string): Opened | null {
  const lines = text.split('\n').filter((line) => line !== '');
  const [header = '', ...rest] = lines;
  const footer = rest.pop() ?? '';
  if (!header.endsWith('"entries":[') || !footer.startsWith(']')) return null;
  return { header, entries: rest.map((line) => line.replace(/,$/, '')), footer };
}

export function joinBundle({ header, entries, footer }: Opened): string {
  return [header, entries.join(',\n'), footer, ''].join('\n');
}

export function listRows({ entries }: Opened): EntryRow[] {
  return entries.flatMap((line) => {
    const entry = readEntry(line);
    if (!entry) return [];
    const { sequence, traceId, view } = entry;
    return [{ sequence, traceId, kind: String(view.kind) }];
  });
}

function readEntry(line: string): Entry | null {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return null;
  }
}

export interface Altered {
  bundle: Opened;
  change: { before: string; after: string };
}

/** Alters a copy of a bundle. */
export function tamperBundle(opened: Opened, { what, at, isForged }: Tampering): Altered {
  const { entries } = opened;
  const line = entries[at] ?? '';
  const next = entries[at + 1];
  const { altered, change } = alter();
  const bundle = { ...opened, entries: altered };
  return { bundle: isForged ? forgeBundle(bundle) : bundle, change };

  function alter(): { altered: string[]; change: Altered['change'] } {
    if (what === 'remove')
      return { altered: entries.toSpliced(at, 1), change: { before: nameEntry(line), after: '' } };
    if (what === 'cut') {
      const gone = entries.slice(at).map(nameEntry);
      return { altered: entries.slice(0, at), change: { before: gone.join(', '), after: '' } };
    }
    if (what === 'swap' && next !== undefined)
      return {
        altered: entries.toSpliced(at, 2, next, line),
        change: {
          before: `${nameEntry(line)}, ${nameEntry(next)}`,
          after: `${nameEntry(next)}, ${nameEntry(line)}`,
        },
      };
    const changed = changeCharacter(line);
    return { altered: entries.with(at, changed.line), change: changed };
  }
}

const nameEntry = (line: string): string => `entry ${readEntry(line)?.sequence ?? '?'}`;

/** Changes one character of a line. */
export function changeCharacter(line: string): { line: string; before: string; after: string } {
  const place = findPlace(line);
  const known = line.charAt(place);
  const other = /\d/.test(known) ? String((Number(known) + 1) % 10) : replaceLetter(known);
  const changed = line.slice(0, place) + other + line.slice(place + 1);
  const cut = (text: string): string =>
    text.slice(Math.max(0, place - SHOWN_AROUND), place + SHOWN_AROUND);
  return { line: changed, before: cut(line), after: cut(changed) };
}

function findPlace(line: string): number {
  for (const target of TARGETS) {
    const found = target.exec(line);
    if (found) return found.index + found[0].length - 1;
  }
  return Math.floor(line.length / 2);
}

/** Base64 and base64url stay what they are. */
function replaceLetter(letter: string): string {
  if (/[-_+/]/.test(letter)) return 'A';
  return String.fromCharCode(letter.charCodeAt(0) + (/[aA]/.test(letter) ? 1 : -1));
}

/** Numbers, links and seals all entries again, and adapts header and footer. */
function forgeBundle({ header, entries, footer }: Opened): Opened {
  const head = JSON.parse(`${header}]}`) as Record<string, unknown> & {
    range: { fromSequence: number; toSequence: number };
    prevHash: string;
  };
  let [prevHash, sequence] = [head.prevHash, head.range.fromSequence];
  const forged = entries.map((line) => {
    const entry = readEntry(line);
    if (!entry) return line;
    const payloadDigest = hashSha256(JSON.stringify(entry.view));
    const { createdAt } = entry;
    const chainHash = hashSha256(`${prevHash}${payloadDigest}${sequence}${createdAt}`);
    const sealed = { ...entry, sequence: sequence++, prevHash, payloadDigest, chainHash };
    prevHash = chainHash;
    return JSON.stringify(sealed);
  });
  const last = { sequence: sequence - 1, chainHash: prevHash };
  const count = forged.length;
  const range = { ...head.range, toSequence: last.sequence };
  const newHeader = JSON.stringify({ ...head, range, head: last, count, entries: undefined });
  const end = JSON.parse(`{"entries":[${footer}`) as Record<string, unknown>;
  const newFooter = JSON.stringify({ ...end, entries: undefined, count, chainHash: prevHash });
  return {
    header: `${newHeader.slice(0, -1)},"entries":[`,
    entries: forged,
    footer: `],${newFooter.slice(1)}`,
  };
}

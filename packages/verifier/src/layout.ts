// Parses the three kinds of lines of a bundle.
// A line is accepted only if serialising its content again gives the same bytes: no duplicate keys, other spellings, unknown members.
import { hashSha256, isHex64, toCanonicalJson, isMembers, parse, Unreadable } from './text.ts';
import type { Members, Value } from './text.ts';

export interface Position {
  sequence: number;
  chainHash: string;
}

export interface Header {
  chain: 'ledger' | 'audit';
  organizationId: string;
  exportedAt: string;
  range: { fromSequence: number | null; toSequence: number | null };
  prevHash: string | null;
  head: Position | null;
  count: number;
  /** Instructions for readers without this program. */
  recipe: string[];
}

export interface Entry {
  organizationId: string;
  traceId: string | null;
  sequence: number;
  prevHash: string;
  payloadDigest: string;
  chainHash: string;
  createdAt: string;
  view: Members | null;
  /** The canonical text of `view`. */
  viewText: string;
  disclosures: string[];
  /** Whether the line ends with a comma: another entry follows. */
  hasComma: boolean;
}

export interface Footer {
  count: number;
  chainHash: string | null;
}

const ALGORITHM = '{"hash":"sha256","canonicalization":"rfc8785"}';

/** @throws Unreadable */
export function readHeader(line: string): Header {
  refuseRewritten(line);
  const header = parseMembers(`${line}]}`);
  if (header.format !== 'assay-bundle')
    throw new Unreadable('not an Assay bundle in the line layout');
  if (header.version !== 1) throw new Unreadable('unknown version of the bundle');
  if (JSON.stringify(header.algorithm) !== ALGORITHM) throw new Unreadable('unknown algorithm');
  if (header.chain !== 'ledger' && header.chain !== 'audit')
    throw new Unreadable('unknown kind of chain');
  const { range, head } = header;
  const isValid =
    isText(header.organizationId) &&
    isText(header.exportedAt) &&
    isMembers(range) &&
    isNullable(isOrdinal, range.fromSequence) &&
    isNullable(isOrdinal, range.toSequence) &&
    isNullable(isText, header.prevHash) &&
    (head === null || (isMembers(head) && isOrdinal(head.sequence) && isHex64(head.chainHash))) &&
    isCount(header.count) &&
    isTexts(header.recipe);
  if (!isValid) throw new Unreadable('malformed header');
  if (formatHeader(header as Members & { range: Members }) !== line)
    throw new Unreadable('header is not in the line layout');
  return header as unknown as Header;
}

/** @throws Unreadable */
export function readEntry(line: string): Entry {
  const hasComma = line.endsWith(',');
  const text = hasComma ? line.slice(0, -1) : line;
  const entry = parseMembers(text);
  const { view, disclosures } = entry;
  const texts = [
    entry.id,
    entry.organizationId,
    entry.prevHash,
    entry.payloadDigest,
    entry.chainHash,
    entry.createdAt,
  ];
  const isValid =
    texts.every(isText) &&
    isNullable(isText, entry.traceId) &&
    isOrdinal(entry.sequence) &&
    (view === null || isMembers(view)) &&
    isTexts(disclosures);
  if (!isValid) throw new Unreadable('malformed entry');
  const viewText = toCanonicalJson(view as Value);
  if (formatEntry(entry, viewText) !== text)
    throw new Unreadable('entry is not in the line layout');
  return { ...(entry as unknown as Entry), viewText, hasComma };
}

/** @throws Unreadable */
export function readFooter(line: string): Footer {
  const { end } = parseMembers(`{"entries":[${line}`);
  if (!isMembers(end)) throw new Unreadable('malformed footer');
  const { count, chainHash } = end;
  const expected = `],"checkpoints":[],"end":${JSON.stringify({ count, chainHash })}}`;
  if (!isCount(count) || !isNullable(isText, chainHash) || expected !== line) {
    throw new Unreadable('footer is not in the line layout');
  }
  return { count, chainHash: chainHash as string | null };
}

/** The recipe of version 1: SHA-256 of its steps, joined by line feeds. */
const RECIPE = {
  steps: 9,
  hash: 'a25adfe0335c8b6baaa6e21d186d4c35af62e6a2c885ffa20252a267f0c6aca2',
};

/** Returns whether a recipe is the known one; the exporter names damaged values behind it. */
export function isKnownRecipe(recipe: readonly string[]): boolean {
  const remarks = recipe.slice(RECIPE.steps);
  return (
    hashSha256(recipe.slice(0, RECIPE.steps).join('\n')) === RECIPE.hash &&
    remarks.every((remark) => remark.startsWith('Damaged: '))
  );
}

/** Detects reformatted JSON: the layout of the lines is part of the format. @throws Unreadable */
function refuseRewritten(line: string): void {
  const advice = 'verify the file as it was exported';
  if (line.startsWith('\uFEFF'))
    throw new Unreadable(`the file was saved with a byte order mark; ${advice}`);
  if (line.includes('\0'))
    throw new Unreadable(`the file was saved in another encoding than UTF-8; ${advice}`);
  if (line.endsWith('\r'))
    throw new Unreadable(`the file was saved with other line ends (CRLF); ${advice}`);
  if (/^\s*\{?\s*$/.test(line) || isWholeDocument(line))
    throw new Unreadable(`the JSON was formatted again (indented, or put on one line); ${advice}`);
}

/** Whether the line is a bundle by itself. */
function isWholeDocument(line: string): boolean {
  try {
    return parseMembers(line).format === 'assay-bundle';
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

function formatHeader(header: Members & { range: Members }): string {
  const { format, version, chain, algorithm, organizationId, exportedAt, prevHash, count, recipe } =
    header;
  const range = { fromSequence: header.range.fromSequence, toSequence: header.range.toSequence };
  const head = isMembers(header.head)
    ? { sequence: header.head.sequence, chainHash: header.head.chainHash }
    : null;
  const members = {
    format,
    version,
    chain,
    algorithm,
    organizationId,
    exportedAt,
    range,
    prevHash,
    head,
    count,
    recipe,
  };
  return `${JSON.stringify(members).slice(0, -1)},"entries":[`;
}

function formatEntry(entry: Members, viewText: string): string {
  const { id, organizationId, traceId, sequence, prevHash, payloadDigest, chainHash, createdAt } =
    entry;
  const members = {
    id,
    organizationId,
    traceId,
    sequence,
    prevHash,
    payloadDigest,
    chainHash,
    createdAt,
  };
  return `${JSON.stringify(members).slice(0, -1)},"view":${viewText},"disclosures":${JSON.stringify(entry.disclosures)}}`;
}

function parseMembers(text: string): Members {
  const value = parse(text);
  if (!isMembers(value)) throw new Unreadable('not an object');
  return value;
}

function isText(value: Value | undefined): value is string {
  return typeof value === 'string';
}

function isCount(value: Value | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isOrdinal(value: Value | undefined): value is number {
  return isCount(value) && value > 0;
}

function isTexts(value: Value | undefined): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isNullable(
  check: (value: Value | undefined) => boolean,
  value: Value | undefined,
): boolean {
  return value === null || check(value);
}

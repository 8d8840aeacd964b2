// The evidence bundle: one JSON document in a fixed line layout, written and read as a stream (formats.md).
import type { Position } from './chain.ts';

export type ChainName = 'ledger' | 'audit';

export interface BundleHeader {
  chain: ChainName;
  organizationId: string;
  /** `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  exportedAt: string;
  /** The first and last sequence in the bundle, resolved before streaming; both null when it has no entries. */
  range: { fromSequence: number | null; toSequence: number | null };
  /** The `prevHash` of the first entry; null when there is none. */
  prevHash: string | null;
  /** The newest entry of the whole chain when the range was resolved; null when the chain is empty. */
  head: Position | null;
  count: number;
  /** Further lines of the exporter at the end of the recipe. */
  remarks?: readonly string[];
}

export interface BundleEntry {
  id: string;
  organizationId: string;
  traceId: string | null;
  sequence: number;
  prevHash: string;
  payloadDigest: string;
  chainHash: string;
  /** `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  createdAt: string;
  /** The canonical payload as stored, written into the document unchanged. */
  view: string;
  /** Parents before children. */
  disclosures: readonly string[];
}

/** Instructions for verifying a bundle with `jq` and `sha256sum` alone. No hash covers them. */
export const RECIPE: readonly string[] = [
  'Save this document as bundle.json. Entries are counted from 0: replace N by the entry you look at. jq (1.6 or newer) and sha256sum are all you need.',
  "Digest: the payloadDigest of an entry is the SHA-256 of its view as canonical JSON (RFC 8785): jq -cSj '.entries[N].view' bundle.json | sha256sum",
  "Seal: the chainHash of an entry is the SHA-256 of its prevHash, payloadDigest, sequence and createdAt, written one after the other: jq -j '.entries[N] | .prevHash + .payloadDigest + (.sequence | tostring) + .createdAt' bundle.json | sha256sum",
  "Links: sequences run without a gap and each prevHash is the chainHash of the entry before. This prints true: jq '.entries as $e | all(range(1; $e | length); $e[.].prevHash == $e[. - 1].chainHash and $e[.].sequence == $e[. - 1].sequence + 1)' bundle.json",
  'Start: the prevHash of sequence 1 is 64 zeros in a ledger and a single zero in an audit chain; the first entry here links to the prevHash of the header.',
  "Copies: organizationId and traceId beside a view must equal those inside it. This prints true: jq 'all(.entries[]; .organizationId == .view.organizationId and .traceId == .view.traceId)' bundle.json",
  'Disclosures: each is the text of [salt, name, value], or of [salt, name, "object" or "array", digests of its children]. Its SHA-256 stands in view.commitments under its name, or among the children of a disclosure before it: jq -j \'.entries[N].disclosures[0]\' bundle.json | sha256sum',
  'Pins: whoever can write the database could write all of this anew. So compare the chainHash at its sequence with a receipt that was given for a decision, or with a head that was noted earlier. What comes after the newest such pin is consistent, not proved.',
  'What it proves: these entries are unaltered since the pin. Not that they are true, that nothing was left out before it was recorded, or that their times are right.',
];

/** The first line, up to the list of entries. */
export function formatBundleHeader(header: BundleHeader): string {
  const { chain, organizationId, exportedAt, range, prevHash, head, count, remarks = [] } = header;
  const members = JSON.stringify({
    format: 'assay-bundle',
    version: 1,
    chain,
    algorithm: { hash: 'sha256', canonicalization: 'rfc8785' },
    organizationId,
    exportedAt,
    range: { fromSequence: range.fromSequence, toSequence: range.toSequence },
    prevHash,
    head: head && { sequence: head.sequence, chainHash: head.chainHash },
    count,
    recipe: [...RECIPE, ...remarks],
  });
  return `${members.slice(0, -1)},"entries":[\n`;
}

/** The line of one entry; all but the last one end with a comma. */
export function formatBundleEntry(entry: BundleEntry, isLast: boolean): string {
  const { id, organizationId, traceId, sequence, prevHash, payloadDigest, chainHash, createdAt } =
    entry;
  const members = JSON.stringify({
    id,
    organizationId,
    traceId,
    sequence,
    prevHash,
    payloadDigest,
    chainHash,
    createdAt,
  });
  const disclosures = JSON.stringify(entry.disclosures);
  return `${members.slice(0, -1)},"view":${entry.view},"disclosures":${disclosures}}${isLast ? '' : ','}\n`;
}

/** The last line. A document without it is truncated. */
export function formatBundleFooter(end: { count: number; chainHash: string | null }): string {
  return `],"checkpoints":[],"end":${JSON.stringify({ count: end.count, chainHash: end.chainHash })}}\n`;
}

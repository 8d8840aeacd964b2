// Reads the signed parts of an audit bundle: its manifest, and the promised values that were erased later.
import { toCanonicalJson, isAscending, isHex64, isMembers, parse, Unreadable } from '../text.ts';
import type { Value } from '../text.ts';
import { readSignedText, type SignedText } from './signed-text.ts';

export interface Manifest {
  kid: string;
  bundleId: string;
  organizationId: string;
  firstSequence: number;
  lastSequence: number;
  lastChainHash: string;
  entries: number;
  /** The names of the values that the ledger shows. */
  disclosed: string[];
  /** What was signed. */
  text: string;
}

/** Values of the ledger that an erasure took after the bundle was made. */
export interface Omissions {
  kid: string;
  bundleId: string;
  /** Erased values, by the entry that commits to them. */
  omitted: { sequence: number; names: string[] }[];
}

const MANIFEST_MEMBERS =
  'bundleId,createdAt,disclosed,entries,firstSequence,format,from,lastChainHash,lastSequence,organizationId,to,version';
const OMISSIONS_MEMBERS = 'bundleId,format,omitted,version';

/** @throws Unreadable for another form; null: the signature does not hold */
export function readManifest(jws: string, keySet: string): Manifest | null {
  const type = 'assay-audit-bundle+jws';
  const signed = readSignedText(jws, { file: 'manifest.jws', type, keySet });
  if (signed === null) return null;
  const { kid, text } = signed;
  const claims = parseClaims(signed, 'manifest.jws', 'assay-audit-bundle', MANIFEST_MEMBERS);
  const { bundleId, organizationId, firstSequence, lastSequence, lastChainHash, entries } = claims;
  const isWhole =
    typeof bundleId === 'string' &&
    typeof organizationId === 'string' &&
    [firstSequence, lastSequence, entries].every(Number.isSafeInteger) &&
    isHex64(lastChainHash) &&
    isNames(claims.disclosed);
  if (!isWhole) throw new Unreadable('manifest.jws: a member is missing or malformed');
  return { ...claims, kid, text } as unknown as Manifest;
}

/** Whether `manifest.json`, a copy for readers, equals what was signed. */
export function isReadableCopy(json: string, manifest: Manifest): boolean {
  try {
    const value = parse(json);
    // A member that is written twice would be read in one way by programs, and in another by people.
    const isWrittenOnce = JSON.stringify(value) === json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
    return isWrittenOnce && toCanonicalJson(value) === manifest.text;
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

/** @throws Unreadable for another form; null: the signature does not hold */
export function readOmissions(jws: string, keySet: string): Omissions | null {
  const type = 'assay-audit-bundle-omissions+jws';
  const signed = readSignedText(jws, { file: 'omissions.jws', type, keySet });
  if (signed === null) return null;
  const format = 'assay-audit-bundle-omissions';
  const claims = parseClaims(signed, 'omissions.jws', format, OMISSIONS_MEMBERS);
  const { bundleId, omitted } = claims;
  if (typeof bundleId !== 'string' || !Array.isArray(omitted) || !omitted.every(isOmission))
    throw new Unreadable('omissions.jws: a member is missing or malformed');
  return { kid: signed.kid, bundleId, omitted: omitted as unknown as Omissions['omitted'] };
}

/** @throws Unreadable */
function parseClaims(
  { claims }: SignedText,
  file: string,
  format: string,
  members: string,
): SignedText['claims'] {
  if (claims.format !== format || claims.version !== 1)
    throw new Unreadable(`${file}: another kind of manifest`);
  if (Object.keys(claims).sort().join() !== members)
    throw new Unreadable(`${file}: a member is missing or unknown`);
  return claims;
}

function isOmission(value: Value): boolean {
  return isMembers(value) && Number.isSafeInteger(value.sequence) && isNames(value.names);
}

function isNames(value: Value | undefined): boolean {
  return (
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string') &&
    isAscending(value as string[])
  );
}

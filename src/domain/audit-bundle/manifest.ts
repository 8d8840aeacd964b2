// The signed manifest of an audit bundle, and the instructions for checking the bundle (docs/reference/formats.md).
import { canonicalizeObject } from '@assay/json';

export interface BundleManifest {
  bundleId: string;
  organizationId: string;
  createdAt: string;
  /** The requested period. */
  from: string;
  to: string;
  firstSequence: number;
  lastSequence: number;
  /** The chain hash of the last entry, which pins every entry before it. */
  lastChainHash: string;
  entries: number;
  /** The names of the disclosed values. */
  disclosed: readonly string[];
}

/** The canonical text that is signed. */
export function toManifestText(manifest: BundleManifest): string {
  const { bundleId, organizationId, createdAt, from, to } = manifest;
  const { firstSequence, lastSequence, lastChainHash, entries, disclosed } = manifest;
  return canonicalizeObject({
    format: 'assay-audit-bundle',
    version: 1,
    bundleId,
    organizationId,
    createdAt,
    from,
    to,
    firstSequence,
    lastSequence,
    lastChainHash,
    entries,
    disclosed: disclosed.toSorted(),
  });
}

/** The canonical text that is signed; `omissions`: the canonical text of the list. */
export function toOmissionsText(bundleId: string, omissions: string): string {
  const id = JSON.stringify(bundleId);
  return `{"bundleId":${id},"format":"assay-audit-bundle-omissions","omitted":${omissions},"version":1}`;
}

/** The text of `VERIFY.md`, written for a reader who has only the archive. */
export function createVerifyNote(
  manifest: Pick<BundleManifest, 'bundleId' | 'organizationId' | 'firstSequence' | 'lastSequence'>,
  { kid, publicUrl }: { kid: string; publicUrl: string },
): string {
  const { bundleId, organizationId, firstSequence, lastSequence } = manifest;
  return `# How to check this audit bundle

Bundle ${bundleId} of organisation ${organizationId}: entries ${firstSequence} to ${lastSequence} of its ledger.

One command, with Node.js 20 or later and nothing else, offline:

    node verify-bundle.mjs FILE.tar.gz --key ${kid}

\`verify-bundle.mjs\` is the stand-alone verifier of Assay (\`npm run build:verifier\`, or \`npx tsx scripts/verify-bundle.ts\`
in its sources). Take it from there and not from the sender of this file. It says INTACT (exit 0), TAMPERED (1) or CANNOT TELL (2).

The key is what you have to trust. Its name is the SHA-256 of the public key; compare it with what the organisation tells you by
another way, or with ${publicUrl}/.well-known/jwks.json.

## What is here

- \`manifest.json\`: what this bundle is, to be read; \`manifest.jws\`: the same, signed (JWS, ES256)
- \`keys.json\`: every public key that ever signed for this installation (JWKS)
- \`ledger.json\`: the entries, each with its view, its links, and the values that are disclosed; its header holds the recipe to check
  them with jq and sha256sum
- \`VERIFY.md\`: this
- \`omissions.jws\`, only where there are any: the disclosed values that were erased after the bundle was made, signed

## What it means

Intact: unaltered since the manifest was signed. Not therefore true, complete beyond the last entry, or correctly timed. A value that
was erased is not here any more; its entry still verifies, and a later entry of kind \`erasure\` says that it is gone.
`;
}

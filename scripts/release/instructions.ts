// INSTALL.md of a release: how to check and start what is in it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReleaseKey } from './signing.ts';

/** What differs between releases: texts by their names in the template. */
interface Facts {
  version: string;
  /** Name and digest of the image, and its layers with Node.js, packages and programs. */
  image: string;
  digest: string;
  layers: readonly string[];
  /** Names of files. */
  service: string;
  sdk: string;
  wheel: string;
}

/** Text of a release that is signed; `release.pub` is what the reader has from its owner. */
const SIGNED = `The owner has signed these digests with the key \`{kid}\` (SHA-256 of its SPKI). With its public key
from elsewhere, as \`release.pub\`:

\`\`\`sh
base64 --decode SHA256SUMS.sig |
  openssl dgst -sha256 -verify release.pub -signature /dev/stdin SHA256SUMS
\`\`\`

\`cosign\` checks the same, and the signed provenance of one file:

\`\`\`sh
cosign verify-blob --key release.pub --insecure-ignore-tlog \\
  --signature SHA256SUMS.sig SHA256SUMS
cosign verify-blob-attestation --key release.pub --insecure-ignore-tlog --type slsaprovenance1 \\
  --signature assay-{version}.provenance.dsse.json {service}
\`\`\``;

const UNSIGNED = '**This release is not signed**: the digests find damage, and no forgery.';

export function writeInstructions(file: string, facts: Facts, key: ReleaseKey | null): void {
  const template = readFileSync(join(import.meta.dirname, 'INSTALL.md'), 'utf8');
  const texts: Record<string, string> = { ...facts, layers: facts.layers.join(' ') };
  const signed = key === null ? UNSIGNED : SIGNED.replace('{kid}', key.kid);
  const text = template.replace('{signed}', signed);
  writeFileSync(
    file,
    text.replace(/\{(\w+)\}/g, (found, name: string) => texts[name] ?? found),
  );
}

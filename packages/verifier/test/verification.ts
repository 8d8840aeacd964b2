// Verifies sample chains in tests, and alters them as an attacker with access to the database could.
import { canonicalize, type JsonObject } from '@assay/json';
import type { BundleHeader } from '../../../src/domain/record/bundle.ts';
import {
  computeChainHash,
  computePayloadDigest,
  ZERO_HASH,
} from '../../../src/domain/record/chain.ts';
import type { Position } from '../../../src/domain/record/chain.ts';
import type { Pin } from '../src/pins/pins.ts';
import type { Report } from '../src/report.ts';
import type { Options } from '../src/verify.ts';
import { verifyBundle } from '../src/verify.ts';
import { createBundleLines } from '../../../test/domain/record/samples/sample-chain.ts';
import type { Sample } from '../../../test/domain/record/samples/sample-chain.ts';

async function* stream(lines: readonly string[]) {
  yield* lines;
}

export function verify(lines: readonly string[], options: Options = {}): Promise<Report> {
  return verifyBundle(stream(lines), options);
}

export function createPin(entry: Sample | undefined, facts: Partial<Pin> = {}): Pin {
  const { sequence, chainHash } = entry!;
  return { sequence, chainHash, traceId: null, salt: null, createdAt: null, ...facts };
}

/** Verifies entries as one document, pinned at its honest end. */
export function verifyPinned(
  entries: readonly Sample[],
  pinned: Sample,
  header: Partial<BundleHeader> = {},
) {
  return verify(createBundleLines(entries, header), {
    pins: [createPin(pinned, { createdAt: pinned.createdAt })],
  });
}

export function editView(view: string, members: object): string {
  return canonicalize({ ...(JSON.parse(view) as JsonObject), ...members });
}

/** Seals entries again from an index on. */
export function resealEntries(entries: readonly Sample[], from: number): Sample[] {
  let prevHash = entries[from - 1]?.chainHash ?? ZERO_HASH;
  return entries.map((entry, i) => {
    if (i < from) return entry;
    const link = {
      prevHash,
      payloadDigest: computePayloadDigest(entry.view),
      sequence: i + 1,
      createdAt: entry.createdAt,
    };
    prevHash = computeChainHash(link);
    return { ...entry, ...link, chainHash: prevHash };
  });
}

/** Edits a view and recomputes everything after it, as an attacker who can write the whole database could. */
export function rewriteChain(entries: readonly Sample[], index: number): Sample[] {
  let all = entries.map((entry, i) =>
    i === index ? { ...entry, view: editView(entry.view, { workspaceId: 'x' }) } : entry,
  );
  for (let i = index; i < all.length; i++) {
    const { subject, after } = JSON.parse(all[i]!.view) as {
      subject?: Position;
      after?: Position | null;
    };
    const relink = (to: Position) => ({ ...to, chainHash: all[to.sequence - 1]!.chainHash });
    const view = editView(all[i]!.view, {
      ...(subject ? { subject: relink(subject) } : {}),
      ...(after ? { after: relink(after) } : {}),
    });
    all = resealEntries(all.with(i, { ...all[i]!, view }), i);
  }
  return all;
}

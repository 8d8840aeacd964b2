// Has heads of the heads log stamped by a time-stamping authority: one stamp covers every organisation.
import { parseNote } from '@assay/tlog';
import type { Platform } from '../../../platform/platform.ts';
import { HEADS_OWNER } from '../../../ledger/log/heads-log.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import type { LogDocument } from '../logs.model.ts';
import { openHeadsLog, hasWitnesses, isLogOn } from '../logs.service.ts';
import { openTsaClient } from './tsa-client.ts';
import { perInstance } from '../../../platform/per-instance.ts';

/** Pauses after the first, second ... failed attempt. */
const MINUTE_MS = 60_000;
const PAUSE_MAX_MS = 60 * MINUTE_MS;

/** `failures`: attempts that have failed since the last stamp. */
const openPause = perInstance(() => ({ failures: 0, until: 0 }));

/** Stamps the newest head when the last stamp is old enough; resolves with the number of stamps. */
export async function stampDue(platform: Platform): Promise<number> {
  const [client, pause] = [openTsaClient(platform), openPause(platform)];
  const now = platform.clock.now().getTime();
  if (!isLogOn(platform) || !client.hasAuthorities || now < pause.until) return 0;
  const heads = await openHeadsLog(platform);
  const isEarly =
    heads.stampedAt && now - heads.stampedAt.getTime() < platform.config.ASSAY_STAMP_SECONDS * 1000;
  const head = heads.frozen || isEarly ? null : await findUnstamped(platform, heads);
  if (!head) return 0;
  if (!(await stampHead(platform, head))) {
    noteFailure(platform, now);
    return 0;
  }
  pause.failures = 0;
  return 1;
}

/** The newest head that may be stamped and is beyond the last stamped one. */
async function findUnstamped(
  platform: Platform,
  heads: LogDocument,
): Promise<LogHeadDocument | null> {
  const { stampedSize = 0, witnessedSize } = heads;
  const size = { $gt: stampedSize, ...(hasWitnesses(platform) && { $lte: witnessedSize }) };
  return platform.models.logHeads
    .findOne({ organizationId: HEADS_OWNER, logId: heads._id, size })
    .sort({ size: -1 })
    .lean<LogHeadDocument>();
}

/** Returns whether the head is stamped now. */
async function stampHead(
  platform: Platform,
  { _id, logId, note, size }: LogHeadDocument,
): Promise<boolean> {
  const parsed = parseNote(note);
  const stamp = parsed && (await openTsaClient(platform).askInTurn(parsed.text));
  if (!stamp) return false;
  await platform.models.logHeads.updateOne(
    { _id, organizationId: HEADS_OWNER, stamp: null },
    { $set: { stamp } },
  );
  await platform.models.logs.updateOne(
    { _id: logId, organizationId: HEADS_OWNER },
    { $max: { stampedSize: size, stampedAt: platform.clock.now() } },
  );
  return true;
}

function noteFailure(platform: Platform, now: number): void {
  const pause = openPause(platform);
  pause.until = now + Math.min(MINUTE_MS * 2 ** pause.failures, PAUSE_MAX_MS);
  pause.failures++;
  platform.metrics.stampFailures.inc();
}

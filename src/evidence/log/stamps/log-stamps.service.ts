// Has heads of the heads log stamped by a time-stamping authority: one stamp covers every organisation.
import { parseNote } from '@assay/tlog';
import type { Platform } from '../../../platform/platform.ts';
import { HEADS_OWNER } from '../../../ledger/log/heads-log.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import type { LogDocument } from '../logs.model.ts';
import type { LogService } from '../logs.service.ts';
import { createTsaClient } from './tsa-client.ts';

interface Deps {
  logs: LogService;
  /** Whether heads wait for witnesses. */
  hasWitnesses: boolean;
}

/** Pauses after the first, second ... failed attempt. */
const MINUTE_MS = 60_000;
const PAUSE_MAX_MS = 60 * MINUTE_MS;

export function createLogStampService(
  platform: Pick<
    Platform,
    'models' | 'config' | 'http' | 'clock' | 'draw16Bytes' | 'logger' | 'metrics' | 'threads'
  >,
  { logs, hasWitnesses }: Deps,
) {
  const { models, config, clock, metrics } = platform;
  const client = createTsaClient(platform);
  const isOn = config.ASSAY_LOG === 'on' && client.hasAuthorities;
  const everyMs = config.ASSAY_STAMP_SECONDS * 1000;
  let failures = 0;
  let pausedUntil = 0;

  /** The newest head that may be stamped and is beyond the last stamped one. */
  async function findUnstamped(heads: LogDocument): Promise<LogHeadDocument | null> {
    const { stampedSize = 0, witnessedSize } = heads;
    const size = { $gt: stampedSize, ...(hasWitnesses && { $lte: witnessedSize }) };
    return models.logHeads
      .findOne({ organizationId: HEADS_OWNER, logId: heads._id, size })
      .sort({ size: -1 })
      .lean<LogHeadDocument>();
  }

  /** Returns whether the head is stamped now. */
  async function stampHead({ _id, logId, note, size }: LogHeadDocument): Promise<boolean> {
    const parsed = parseNote(note);
    const stamp = parsed && (await client.askInTurn(parsed.text));
    if (!stamp) return false;
    await models.logHeads.updateOne(
      { _id, organizationId: HEADS_OWNER, stamp: null },
      { $set: { stamp } },
    );
    await models.logs.updateOne(
      { _id: logId, organizationId: HEADS_OWNER },
      { $max: { stampedSize: size, stampedAt: clock.now() } },
    );
    return true;
  }

  function noteFailure(now: number): void {
    pausedUntil = now + Math.min(MINUTE_MS * 2 ** failures, PAUSE_MAX_MS);
    failures++;
    metrics.stampFailures.inc();
  }

  return {
    /** Stamps the newest head when the last stamp is old enough; resolves with the number of stamps. */
    async stampDue(): Promise<number> {
      const now = clock.now().getTime();
      if (!isOn || now < pausedUntil) return 0;
      const heads = await logs.openHeadsLog();
      const isEarly = heads.stampedAt && now - heads.stampedAt.getTime() < everyMs;
      const head = heads.frozen || isEarly ? null : await findUnstamped(heads);
      if (!head) return 0;
      if (!(await stampHead(head))) {
        noteFailure(now);
        return 0;
      }
      failures = 0;
      return 1;
    },
  };
}
export type LogStampService = ReturnType<typeof createLogStampService>;

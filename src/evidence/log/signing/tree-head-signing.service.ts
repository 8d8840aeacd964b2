// Signs a tree head for every chain that has grown, some seconds later, and one for the heads log after them.
import type { Platform } from '../../../platform/platform.ts';
import type { LogChain, LogDocument } from '../logs.model.ts';
import { suspendLog, openLog, openHeadsLog, isLogOn, findHeadsLog } from '../logs.service.ts';
import { createGrownChains } from './grown-chains.ts';
import { confirmHeads } from '../witnesses/log-witnesses.service.ts';
import { runSigningTurn, SigningConflict, type SigningOutcome } from './signing-turn.ts';
import { perInstance } from '../../../platform/per-instance.ts';

/** Organisations whose logs take turns in one run. */
const LOGS_MAX = 200;
/** Time after which a run leaves the rest to the next one. */
const RUN_MS = 5000;

/** The heads log is signed this many times as often as the others, since witnesses wait for it. */
const HEADS_PART = 2;

/** A chain that may have grown. */
export interface ChainKey {
  organizationId: string;
  chain: Exclude<LogChain, 'heads'>;
}

const openTurns = perInstance((platform) => ({
  grown: createGrownChains(platform),
  ending: new AbortController(),
}));

/** Signs the tree heads that are due; resolves with the number of turns that signed something. */
export async function signDue(platform: Platform): Promise<number> {
  if (!(await maySign(platform))) return 0;
  const signed = await signInTurns(platform, await openTurns(platform).grown.listDue(LOGS_MAX));
  return signed + (await signHeadsLog(platform));
}

/** Ends a run after the turn that is under way. */
export function stopSigning(platform: Platform): void {
  openTurns(platform).ending.abort();
}

/** Runs one turn of a log. The log is read again inside of the transaction, at the same moment as its chain. */
async function signTreeHead(platform: Platform, opened: LogDocument): Promise<SigningOutcome> {
  const { _id, organizationId } = opened;
  const outcome = await platform.transaction(async (): Promise<SigningOutcome> => {
    const where = { _id, organizationId };
    const log = await platform.models.logs.findOne(where).lean<LogDocument>();
    if (!log || log.frozen) return { kind: 'idle' };
    return runSigningTurn(platform, log);
  });
  if (outcome.kind === 'signed')
    await platform.probe?.('head-stored', organizationId.toHexString());
  if (outcome.kind === 'broken') await suspendLog(platform, opened, outcome.why);
  return outcome;
}

/** A log that fails does not stop the others. */
async function trySigning(
  platform: Platform,
  open: () => Promise<LogDocument>,
): Promise<SigningOutcome> {
  try {
    return await signTreeHead(platform, await open());
  } catch (error) {
    if (!(error instanceof SigningConflict))
      platform.logger.error({ err: error }, 'a tree head was not signed');
    return { kind: 'failed' };
  }
}

/** Gives every chain a turn, and those with more to read further ones, while time is left. */
async function signInTurns(platform: Platform, due: readonly ChainKey[]): Promise<number> {
  const { ending, grown } = openTurns(platform);
  const end = performance.now() + RUN_MS;
  let signed = 0;
  for (let waiting = due; waiting.length > 0;) {
    const behind: ChainKey[] = [];
    for (const key of waiting) {
      if (ending.signal.aborted || performance.now() > end) return signed;
      const { kind } = await trySigning(platform, () =>
        openLog(platform, key.organizationId, key.chain),
      );
      if (kind === 'behind') behind.push(key);
      if (kind === 'idle' || kind === 'broken') grown.forgetChain(key);
      signed += kind === 'idle' ? 0 : 1;
    }
    waiting = behind;
  }
  return signed;
}

/** Signs the heads log when it has grown, and its newest tree head is old enough. */
async function signHeadsLog(platform: Platform): Promise<number> {
  const { clock, config } = platform;
  const everyMs = (config.ASSAY_LOG_SEAL_SECONDS * 1000) / HEADS_PART;
  const heads = await openHeadsLog(platform);
  if (clock.now().getTime() - (heads.sealedAt?.getTime() ?? 0) < everyMs) return 0;
  const { kind } = await trySigning(platform, () => Promise.resolve(heads));
  return kind === 'idle' ? 0 : 1;
}

/**
 * Returns whether anything may be signed. A frozen heads log, or one whose witnesses were not heard since the start, may
 * be that of an older copy of the database, and so may every other log: what such a copy signs is a fork.
 */
async function maySign(platform: Platform): Promise<boolean> {
  const { ending } = openTurns(platform);
  if (!isLogOn(platform) || ending.signal.aborted || !(await confirmHeads(platform))) return false;
  return !(await findHeadsLog(platform))?.frozen;
}

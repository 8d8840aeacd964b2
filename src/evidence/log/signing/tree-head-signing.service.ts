// Signs a tree head for every chain that has grown, some seconds later, and one for the heads log after them.
import type { Platform } from '../../../platform/platform.ts';
import type { LogKeyService } from '../keys/log-keys.service.ts';
import type { LogChain, LogDocument } from '../logs.model.ts';
import type { LogService } from '../logs.service.ts';
import { createGrownChains } from './grown-chains.ts';
import type { LogWitnessService } from '../witnesses/log-witnesses.service.ts';
import type { LeafReader } from './leaves.ts';
import { runSigningTurn, SigningConflict, type SigningOutcome } from './signing-turn.ts';

interface Deps {
  keys: LogKeyService;
  logs: LogService;
  leaves: LeafReader;
  witnesses: Pick<LogWitnessService, 'confirmHeads'>;
}

type SigningPlatform = Pick<
  Platform,
  'models' | 'clock' | 'config' | 'logger' | 'probe' | 'transaction' | 'ledger' | 'auditChain'
>;

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

export function createTreeHeadSigning(platform: SigningPlatform, deps: Deps) {
  const { clock, config, logger, transaction } = platform;
  const { logs, witnesses } = deps;
  const grown = createGrownChains(platform);
  const isOn = config.ASSAY_LOG === 'on';
  const headsMs = (config.ASSAY_LOG_SEAL_SECONDS * 1000) / HEADS_PART;
  const ending = new AbortController();

  /** Runs one turn of a log. The log is read again inside of the transaction, at the same moment as its chain. */
  async function signTreeHead(opened: LogDocument): Promise<SigningOutcome> {
    const { _id, organizationId } = opened;
    const outcome = await transaction(async (): Promise<SigningOutcome> => {
      const where = { _id, organizationId };
      const log = await platform.models.logs.findOne(where).lean<LogDocument>();
      if (!log || log.frozen) return { kind: 'idle' };
      return runSigningTurn(log, platform, deps);
    });
    if (outcome.kind === 'signed')
      await platform.probe?.('head-stored', organizationId.toHexString());
    if (outcome.kind === 'broken') await logs.suspendLog(opened, outcome.why);
    return outcome;
  }

  /** A log that fails does not stop the others. */
  async function trySigning(open: () => Promise<LogDocument>): Promise<SigningOutcome> {
    try {
      return await signTreeHead(await open());
    } catch (error) {
      if (!(error instanceof SigningConflict))
        logger.error({ err: error }, 'a tree head was not signed');
      return { kind: 'failed' };
    }
  }

  /** Gives every chain a turn, and those with more to read further ones, while time is left. */
  async function signInTurns(due: readonly ChainKey[]): Promise<number> {
    const end = performance.now() + RUN_MS;
    let signed = 0;
    for (let waiting = due; waiting.length > 0;) {
      const behind: ChainKey[] = [];
      for (const key of waiting) {
        if (ending.signal.aborted || performance.now() > end) return signed;
        const { kind } = await trySigning(() => logs.openLog(key.organizationId, key.chain));
        if (kind === 'behind') behind.push(key);
        if (kind === 'idle' || kind === 'broken') grown.forgetChain(key);
        signed += kind === 'idle' ? 0 : 1;
      }
      waiting = behind;
    }
    return signed;
  }

  /** Signs the heads log when it has grown, and its newest tree head is old enough. */
  async function signHeadsLog(): Promise<number> {
    const heads = await logs.openHeadsLog();
    if (clock.now().getTime() - (heads.sealedAt?.getTime() ?? 0) < headsMs) return 0;
    const { kind } = await trySigning(() => Promise.resolve(heads));
    return kind === 'idle' ? 0 : 1;
  }

  /**
   * Returns whether anything may be signed. A frozen heads log, or one whose witnesses were not heard since the start, may
   * be that of an older copy of the database, and so may every other log: what such a copy signs is a fork.
   */
  async function maySign(): Promise<boolean> {
    if (!isOn || ending.signal.aborted || !(await witnesses.confirmHeads())) return false;
    return !(await logs.findHeadsLog())?.frozen;
  }

  return {
    /** Signs the tree heads that are due; resolves with the number of turns that signed something. */
    async signDue(): Promise<number> {
      if (!(await maySign())) return 0;
      const signed = await signInTurns(await grown.listDue(LOGS_MAX));
      return signed + (await signHeadsLog());
    },

    /** Ends a run after the turn that is under way. */
    stopSigning(): void {
      ending.abort();
    },
  };
}
export type TreeHeadSigning = ReturnType<typeof createTreeHeadSigning>;

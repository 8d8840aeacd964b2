// Asks witnesses to sign the heads log, side by side: one that is down, slow or objects holds up no other.
import { type WitnessAnswer, parseNote, hasQuorum, type Witness } from '@assay/tlog';
import type { Platform } from '../../../platform/platform.ts';
import type { LogKeyService } from '../keys/log-keys.service.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import type { LogService } from '../logs.service.ts';
import type { LogTreeService } from '../tree/log-tree.service.ts';
import { createWitnessClient, type HeadsSigning } from './witness-client.ts';
import { createWitnessObjections } from './witness-objections.ts';

interface Deps {
  keys: Pick<LogKeyService, 'listVerifierKeys'>;
  logs: LogService;
  tree: LogTreeService;
}

/** Pause before unconfirmed witnesses are asked again. */
const CONFIRM_EVERY_MS = 5000;

type Outcome = 'signed' | 'objected' | 'silent';

export function createLogWitnessService(
  platform: Pick<Platform, 'models' | 'clock' | 'config' | 'http' | 'logger' | 'metrics' | 'probe'>,
  { keys, logs, tree }: Deps,
) {
  const { models, clock, config, logger, metrics } = platform;
  const client = createWitnessClient(platform, { keys, tree });
  const objections = createWitnessObjections(platform, { logs, client });
  const { hasGrown, listAsked, loadStates } = objections;
  const policy = config.ASSAY_WITNESS_POLICY;
  let isConfirmed = false;
  let heardAt = 0;
  let hearing: Promise<boolean> | null = null;

  async function addCosignature(
    { vkey }: Witness,
    { _id, organizationId }: LogHeadDocument,
    { line, seconds }: Extract<WitnessAnswer, { kind: 'signed' }>,
  ): Promise<Outcome> {
    await models.logHeads.updateOne(
      { _id, organizationId, 'cosignatures.witness': { $ne: vkey } },
      { $push: { cosignatures: { witness: vkey, line, at: new Date(seconds * 1000) } } },
    );
    return 'signed';
  }

  async function noteAnswer(
    witness: Witness,
    signing: HeadsSigning,
    answer: WitnessAnswer,
  ): Promise<Outcome> {
    const { name, vkey } = witness;
    const { head } = signing;
    const isSigned = answer.kind === 'signed';
    const error = isSigned ? null : describeRefusal(answer);
    await models.witnessStates.updateOne(
      { _id: vkey },
      { $set: { at: clock.now(), error, ...(isSigned && { size: head.size, stoppedAt: null }) } },
      { upsert: true },
    );
    if (isSigned) return addCosignature(witness, head, answer);
    if (answer.kind === 'failed') {
      logger.warn({ witness: name, error }, 'a witness did not sign');
      return 'silent';
    }
    if (answer.kind === 'knows' && (await hasGrown(signing, answer.size))) return 'silent';
    await objections.takeObjection(witness, signing, answer);
    return 'objected';
  }

  /** Marks everything up to this head as witnessed once the policy is satisfied. */
  async function markWitnessed({ heads, head }: HeadsSigning): Promise<boolean> {
    const found = await models.logHeads
      .findOne({ _id: head._id, organizationId: head.organizationId }, 'cosignatures')
      .lean<Pick<LogHeadDocument, 'cosignatures'>>();
    const keys = new Set(found?.cosignatures.map(({ witness }) => witness));
    const signed = policy?.witnesses.filter(({ vkey }) => keys.has(vkey)) ?? [];
    if (!policy || !hasQuorum(policy, new Set(signed.map(({ name }) => name)))) return false;
    await models.logs.updateOne(
      { _id: heads._id, organizationId: heads.organizationId },
      { $max: { witnessedSize: head.size } },
    );
    return true;
  }

  /** Asks a witness from the size that it has signed last. */
  async function askAndNote(
    witness: Witness,
    signing: HeadsSigning,
    known: number,
  ): Promise<Outcome> {
    const { size } = signing.head;
    if (known > size && !(await hasGrown(signing, known))) {
      const why = `the witness ${witness.name} has signed a larger tree of ${known} leaves`;
      await logs.suspendLog(signing.heads, why);
      return 'objected';
    }
    const answer = await client.askWitness(witness, signing, known > size ? 0 : known);
    return noteAnswer(witness, signing, answer);
  }

  async function loadSigning(): Promise<HeadsSigning | null> {
    const heads = await logs.openHeadsLog();
    const { headId, organizationId, frozen } = heads;
    if (!headId || frozen) return null;
    const head = await models.logHeads
      .findOne({ _id: headId, organizationId })
      .lean<LogHeadDocument>();
    const note = head && parseNote(head.note);
    return head && note && { heads, head, text: note.text };
  }

  /** Hears the witnesses of a head again, whether they have signed it or not; see `confirmHeads`. */
  async function askAllWitnesses(signing: HeadsSigning): Promise<boolean> {
    const asked = listAsked();
    const { sizes } = await loadStates();
    const findKnown = ({ vkey }: Witness): number => sizes.get(vkey) ?? 0;
    const heard = await Promise.all(
      asked.map((witness) => askAndNote(witness, signing, findKnown(witness))),
    );
    const experienced = asked.filter((witness) => findKnown(witness) > 0);
    const judges = experienced.length > 0 ? experienced : asked;
    const hasSigned = judges.some((witness) => heard[asked.indexOf(witness)] === 'signed');
    return hasSigned || (experienced.length === 0 && !heard.includes('objected'));
  }

  async function hearWitnesses(): Promise<boolean> {
    const signing = await loadSigning();
    isConfirmed = signing === null || (await askAllWitnesses(signing));
    if (!isConfirmed)
      logger.warn('no witness has confirmed the heads log: no tree head is published yet');
    return isConfirmed;
  }

  /** See `confirmHeads` below. Of callers at the same time, one asks. */
  async function confirmHeads(): Promise<boolean> {
    const now = clock.now().getTime();
    if (isConfirmed || !policy) return true;
    if (hearing) return hearing;
    if (now - heardAt < CONFIRM_EVERY_MS && now >= heardAt) return false;
    heardAt = now;
    hearing = hearWitnesses().finally(() => (hearing = null));
    return hearing;
  }

  return {
    /**
     * Returns whether the heads log is as its witnesses know it, which is asked until it is once after a start: a database
     * that was set back is not signed on. One witness that has signed before is enough; without any there is nothing to ask.
     */
    confirmHeads,

    /** Returns whether the witnesses have confirmed the heads log, and has them asked if not. It waits for nothing. */
    mayPromise(): boolean {
      if (isConfirmed || !policy || config.ASSAY_LOG === 'off') return true;
      confirmHeads().catch((error: unknown) =>
        logger.warn({ err: error }, 'the witnesses could not be asked'),
      );
      return isConfirmed;
    },

    /** Asks every witness that has not signed the newest head; resolves with how many have signed now. */
    async askWitnesses(): Promise<number> {
      if (!policy || config.ASSAY_LOG === 'off') return 0;
      const signing = await loadSigning();
      if (!signing) return 0;
      const { sizes, stopped } = await loadStates();
      const signedAlready = new Set(signing.head.cosignatures.map(({ witness }) => witness));
      const heard = await Promise.all(
        listAsked()
          .filter(({ vkey }) => !signedAlready.has(vkey) && !stopped.has(vkey))
          .map((witness) => askAndNote(witness, signing, sizes.get(witness.vkey) ?? 0)),
      );
      const isWitnessed = await markWitnessed(signing);
      const waitedMs = isWitnessed ? 0 : clock.now().getTime() - signing.head.at.getTime();
      metrics.unwitnessedSeconds.set(waitedMs / 1000);
      return heard.filter((outcome) => outcome === 'signed').length;
    },
  };
}
export type LogWitnessService = ReturnType<typeof createLogWitnessService>;

function describeRefusal(answer: Exclude<WitnessAnswer, { kind: 'signed' }>): string {
  return answer.kind === 'failed' ? answer.why : answer.kind;
}

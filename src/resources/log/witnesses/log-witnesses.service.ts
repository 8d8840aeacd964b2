// Asks witnesses to sign the heads log, side by side: one that is down, slow or ahead holds up no other.
import type { Platform } from '../../../platform/platform.ts';
import {
  formatCosignatureRequest,
  readWitnessAnswer,
  type WitnessAnswer,
} from '../../../domain/log/add-checkpoint.ts';
import { parseNote } from '../../../domain/log/signed-note.ts';
import { hasQuorum, type Witness } from '../../../domain/log/witness-policy.ts';
import { truncate } from '../../../domain/names/truncate.ts';
import { HEADS_OWNER } from '../../../ledger/log/heads-log.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import type { LogDocument } from '../logs.model.ts';
import type { LogService } from '../logs.service.ts';
import type { LogTreeService } from '../tree/log-tree.service.ts';
import type { WitnessStateDocument } from './witness-states.model.ts';

interface Deps {
  logs: LogService;
  tree: LogTreeService;
}

/** Time that a witness has for its answer. */
const TIMEOUT_MS = 3000;
const ERROR_LENGTH = 200;
/** Pause before unconfirmed witnesses are asked again. */
const CONFIRM_EVERY_MS = 5000;

/** The newest head of the heads log, and what is signed of it. */
interface Signing {
  heads: LogDocument;
  head: LogHeadDocument;
  text: string;
}

export function createLogWitnessService(
  platform: Pick<Platform, 'models' | 'clock' | 'config' | 'http' | 'logger' | 'metrics' | 'probe'>,
  { logs, tree }: Deps,
) {
  const { models, clock, config, http, logger, metrics, probe } = platform;
  const policy = config.ASSAY_WITNESS_POLICY;
  let isConfirmed = false;
  let heardAt = 0;

  async function sendRequest(
    { url, key }: Witness,
    { heads, head, text }: Signing,
    old: number,
  ): Promise<WitnessAnswer> {
    if (old > head.size) return { kind: 'knows', size: old };
    const path = await tree.buildConsistencyProof(heads, { from: old, size: head.size });
    await probe?.('witness-asked', HEADS_OWNER);
    const response = await http.fetch(`${url}/add-checkpoint`, {
      method: 'POST',
      body: formatCosignatureRequest({ old, path, note: head.note }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = { status: response.status, body: await response.text() };
    await probe?.('witness-answered', HEADS_OWNER);
    return readWitnessAnswer(answer, text, key);
  }

  /** Asks from the size that the witness confirmed last, and once more from the size that it names itself. */
  async function askWitness(
    witness: Witness,
    signing: Signing,
    known: number,
  ): Promise<WitnessAnswer> {
    try {
      const answer = await sendRequest(witness, signing, known);
      const isBehind = answer.kind === 'knows' && answer.size <= signing.head.size;
      return isBehind ? await sendRequest(witness, signing, answer.size) : answer;
    } catch (error) {
      return { kind: 'failed', why: truncate(String(error), ERROR_LENGTH) };
    }
  }

  /** Returns whether another instance has sealed as much as the witness knows since the head was read. */
  async function hasGrown({ heads }: Signing, answer: WitnessAnswer): Promise<boolean> {
    if (answer.kind !== 'knows') return false;
    const log = await logs.findLogById(heads._id);
    return log !== null && log.size >= answer.size && log.size > heads.size;
  }

  /** A witness that knows a larger or another tree has seen what is not here any more: signing on would be a fork. */
  async function stopSigning({ heads }: Signing, name: string, answer: WitnessAnswer) {
    const why =
      answer.kind === 'knows'
        ? `the witness ${name} knows a larger tree of ${answer.size} leaves`
        : `the witness ${name} knows another tree`;
    await logs.suspendLog(heads, why);
  }

  async function noteAnswer(witness: Witness, signing: Signing, answer: WitnessAnswer) {
    const { name, vkey } = witness;
    const { head } = signing;
    const isSigned = answer.kind === 'signed';
    const error = isSigned ? null : describeRefusal(answer);
    await models.witnessStates.updateOne(
      { _id: vkey },
      { $set: { at: clock.now(), error, ...(isSigned && { size: head.size }) } },
      { upsert: true },
    );
    if (isSigned) {
      const at = new Date(answer.seconds * 1000);
      const { _id, organizationId } = head;
      await models.logHeads.updateOne(
        { _id, organizationId, 'cosignatures.witness': { $ne: vkey } },
        { $push: { cosignatures: { witness: vkey, line: answer.line, at } } },
      );
    } else if (answer.kind === 'failed')
      logger.warn({ witness: name, error }, 'a witness did not sign');
    else if (!(await hasGrown(signing, answer))) await stopSigning(signing, name, answer);
  }

  /** Marks everything up to this head as witnessed once the policy is satisfied. */
  async function markWitnessed({ heads, head }: Signing): Promise<boolean> {
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

  /** The witnesses with an address that have not signed yet. */
  function selectUnsigned({ head }: Signing): Witness[] {
    const signed = new Set(head.cosignatures.map(({ witness }) => witness));
    const { witnesses = [] } = policy ?? {};
    return witnesses.filter(({ vkey, url }) => url !== null && !signed.has(vkey));
  }

  /** Returns whether the witness has signed. */
  async function askAndNote(witness: Witness, signing: Signing, known: number): Promise<boolean> {
    const answer = await askWitness(witness, signing, known);
    await noteAnswer(witness, signing, answer);
    return answer.kind === 'signed';
  }

  async function loadSigning(): Promise<Signing | null> {
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
  async function askAllWitnesses(signing: Signing, asked: readonly Witness[]): Promise<boolean> {
    const states = await models.witnessStates.find({}).lean<WitnessStateDocument[]>();
    const sizes = new Map(states.map(({ _id, size }) => [_id, size]));
    const isExperienced = ({ vkey }: Witness): boolean => (sizes.get(vkey) ?? 0) > 0;
    const heard = await Promise.all(
      asked.map((witness) => askAndNote(witness, signing, sizes.get(witness.vkey) ?? 0)),
    );
    return !asked.some(isExperienced) || asked.some((one, at) => heard[at] && isExperienced(one));
  }

  return {
    /**
     * Returns whether the heads log is as its witnesses know it, which is asked until it is once after a start: a database
     * that was set back is not signed on. One witness that has signed before is enough; without any there is nothing to ask.
     */
    async confirmHeads(): Promise<boolean> {
      const now = clock.now().getTime();
      if (isConfirmed || !policy) return true;
      if (now - heardAt < CONFIRM_EVERY_MS && now >= heardAt) return false;
      heardAt = now;
      const asked = policy.witnesses.filter(({ url }) => url !== null);
      const signing = await loadSigning();
      isConfirmed = signing === null || (await askAllWitnesses(signing, asked));
      if (!isConfirmed)
        logger.warn('no witness has confirmed the heads log: nothing is sealed yet');
      return isConfirmed;
    },

    /** Asks every witness that has not signed the newest head; resolves with how many have signed now. */
    async askWitnesses(): Promise<number> {
      if (!policy || config.ASSAY_LOG === 'off') return 0;
      const signing = await loadSigning();
      if (!signing) return 0;
      const asked = selectUnsigned(signing);
      const states = await models.witnessStates.find({}).lean<WitnessStateDocument[]>();
      const sizes = new Map(states.map(({ _id, size }) => [_id, size]));
      const signed = await Promise.all(
        asked.map((witness) => askAndNote(witness, signing, sizes.get(witness.vkey) ?? 0)),
      );
      const isWitnessed = await markWitnessed(signing);
      const waitedMs = isWitnessed ? 0 : clock.now().getTime() - signing.head.at.getTime();
      metrics.unwitnessedSeconds.set(waitedMs / 1000);
      return signed.filter(Boolean).length;
    },
  };
}
export type LogWitnessService = ReturnType<typeof createLogWitnessService>;

function describeRefusal(answer: WitnessAnswer): string {
  return answer.kind === 'failed' ? answer.why : answer.kind;
}

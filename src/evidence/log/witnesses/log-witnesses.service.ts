// Asks witnesses to sign the heads log, side by side: one that is down, slow or objects holds up no other.
import { type WitnessAnswer, parseNote, hasQuorum, type Witness } from '@assay/tlog';
import type { Platform } from '../../../platform/platform.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import { suspendLog, openHeadsLog, isLogOn } from '../logs.service.ts';
import { type HeadsSigning, askWitness } from './witness-client.ts';
import { loadStates, listAsked, hasGrown, takeObjection } from './witness-objections.ts';
import { perInstance } from '../../../platform/per-instance.ts';

/** Pause before unconfirmed witnesses are asked again. */
const CONFIRM_EVERY_MS = 5000;

type Outcome = 'signed' | 'objected' | 'silent';

/** `current`: the hearing that is under way. */
const openHearings = perInstance(() => ({
  isConfirmed: false,
  heardAt: 0,
  current: null as Promise<boolean> | null,
}));

/**
 * Returns whether the heads log is as its witnesses know it, which is asked until it is once after a start: a database
 * that was set back is not signed on. One witness that has signed before is enough; without any there is nothing to ask.
 * Of callers at the same time, one asks.
 */
export async function confirmHeads(platform: Platform): Promise<boolean> {
  const hearings = openHearings(platform);
  const now = platform.clock.now().getTime();
  if (hearings.isConfirmed || !platform.config.ASSAY_WITNESS_POLICY) return true;
  if (hearings.current) return hearings.current;
  if (now - hearings.heardAt < CONFIRM_EVERY_MS && now >= hearings.heardAt) return false;
  hearings.heardAt = now;
  hearings.current = hearWitnesses(platform).finally(() => (hearings.current = null));
  return hearings.current;
}

/** Returns whether the witnesses have confirmed the heads log, and has them asked if not. It waits for nothing. */
export function mayPromise(platform: Platform): boolean {
  const hearings = openHearings(platform);
  if (hearings.isConfirmed || !platform.config.ASSAY_WITNESS_POLICY || !isLogOn(platform))
    return true;
  confirmHeads(platform).catch((error: unknown) =>
    platform.logger.warn({ err: error }, 'the witnesses could not be asked'),
  );
  return hearings.isConfirmed;
}

/** Asks every witness that has not signed the newest head; resolves with how many have signed now. */
export async function askWitnesses(platform: Platform): Promise<number> {
  if (!platform.config.ASSAY_WITNESS_POLICY || !isLogOn(platform)) return 0;
  const signing = await loadSigning(platform);
  if (!signing) return 0;
  const { sizes, stopped } = await loadStates(platform);
  const signedAlready = new Set(signing.head.cosignatures.map(({ witness }) => witness));
  const heard = await Promise.all(
    listAsked(platform)
      .filter(({ vkey }) => !signedAlready.has(vkey) && !stopped.has(vkey))
      .map((witness) => askAndNote(platform, witness, signing, sizes.get(witness.vkey) ?? 0)),
  );
  const isWitnessed = await markWitnessed(platform, signing);
  const waitedMs = isWitnessed ? 0 : platform.clock.now().getTime() - signing.head.at.getTime();
  platform.metrics.unwitnessedSeconds.set(waitedMs / 1000);
  return heard.filter((outcome) => outcome === 'signed').length;
}

async function addCosignature(
  { models }: Platform,
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
  platform: Platform,
  witness: Witness,
  signing: HeadsSigning,
  answer: WitnessAnswer,
): Promise<Outcome> {
  const { name, vkey } = witness;
  const { head } = signing;
  const isSigned = answer.kind === 'signed';
  const error = isSigned ? null : describeRefusal(answer);
  const { models, clock, logger } = platform;
  await models.witnessStates.updateOne(
    { _id: vkey },
    { $set: { at: clock.now(), error, ...(isSigned && { size: head.size, stoppedAt: null }) } },
    { upsert: true },
  );
  if (isSigned) return addCosignature(platform, witness, head, answer);
  if (answer.kind === 'failed') {
    logger.warn({ witness: name, error }, 'a witness did not sign');
    return 'silent';
  }
  if (answer.kind === 'knows' && (await hasGrown(platform, signing, answer.size))) return 'silent';
  await takeObjection(platform, witness, { ...signing, answer });
  return 'objected';
}

/** Marks everything up to this head as witnessed once the policy is satisfied. */
async function markWitnessed(platform: Platform, { heads, head }: HeadsSigning): Promise<boolean> {
  const found = await platform.models.logHeads
    .findOne({ _id: head._id, organizationId: head.organizationId }, 'cosignatures')
    .lean<Pick<LogHeadDocument, 'cosignatures'>>();
  const keys = new Set(found?.cosignatures.map(({ witness }) => witness));
  const policy = platform.config.ASSAY_WITNESS_POLICY;
  const signed = policy?.witnesses.filter(({ vkey }) => keys.has(vkey)) ?? [];
  if (!policy || !hasQuorum(policy, new Set(signed.map(({ name }) => name)))) return false;
  await platform.models.logs.updateOne(
    { _id: heads._id, organizationId: heads.organizationId },
    { $max: { witnessedSize: head.size } },
  );
  return true;
}

/** Asks a witness from the size that it has signed last. */
async function askAndNote(
  platform: Platform,
  witness: Witness,
  signing: HeadsSigning,
  known: number,
): Promise<Outcome> {
  const { size } = signing.head;
  if (known > size && !(await hasGrown(platform, signing, known))) {
    const why = `the witness ${witness.name} has signed a larger tree of ${known} leaves`;
    await suspendLog(platform, signing.heads, why);
    return 'objected';
  }
  const answer = await askWitness(platform, witness, {
    ...signing,
    known: known > size ? 0 : known,
  });
  return noteAnswer(platform, witness, signing, answer);
}

async function loadSigning(platform: Platform): Promise<HeadsSigning | null> {
  const heads = await openHeadsLog(platform);
  const { headId, organizationId, frozen } = heads;
  if (!headId || frozen) return null;
  const head = await platform.models.logHeads
    .findOne({ _id: headId, organizationId })
    .lean<LogHeadDocument>();
  const note = head && parseNote(head.note);
  return head && note && { heads, head, text: note.text };
}

/** Hears the witnesses of a head again, whether they have signed it or not; see `confirmHeads`. */
async function askAllWitnesses(platform: Platform, signing: HeadsSigning): Promise<boolean> {
  const asked = listAsked(platform);
  const { sizes } = await loadStates(platform);
  const findKnown = ({ vkey }: Witness): number => sizes.get(vkey) ?? 0;
  const heard = await Promise.all(
    asked.map((witness) => askAndNote(platform, witness, signing, findKnown(witness))),
  );
  const experienced = asked.filter((witness) => findKnown(witness) > 0);
  const judges = experienced.length > 0 ? experienced : asked;
  const hasSigned = judges.some((witness) => heard[asked.indexOf(witness)] === 'signed');
  return hasSigned || (experienced.length === 0 && !heard.includes('objected'));
}

async function hearWitnesses(platform: Platform): Promise<boolean> {
  const signing = await loadSigning(platform);
  const hearings = openHearings(platform);
  hearings.isConfirmed = signing === null || (await askAllWitnesses(platform, signing));
  if (!hearings.isConfirmed)
    platform.logger.warn('no witness has confirmed the heads log: no tree head is published yet');
  return hearings.isConfirmed;
}

function describeRefusal(answer: Exclude<WitnessAnswer, { kind: 'signed' }>): string {
  return answer.kind === 'failed' ? answer.why : answer.kind;
}

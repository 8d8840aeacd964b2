// What is done when a witness objects to the heads log: what it has signed counts, its word alone does not.
import { type WitnessAnswer, type LogCheckpoint, hasQuorum, type Witness } from '@assay/tlog';
import type { Platform } from '../../../platform/platform.ts';
import { findLogById, suspendLog } from '../logs.service.ts';
import { type HeadsSigning, readSigned } from './witness-client.ts';
import type { WitnessStateDocument } from './witness-states.model.ts';

/** A witness's word that the heads log is not what it knows. */
export type Objection = Extract<WitnessAnswer, { kind: 'knows' | 'fork' }>;

/** Time for which a witness that objects is not asked. */
const STOPPED_MS = 3600_000;

/** Returns whether another instance has signed as much as the witness knows since the head was read. */
export async function hasGrown(
  platform: Platform,
  { heads }: HeadsSigning,
  size: number,
): Promise<boolean> {
  const log = await findLogById(platform, heads._id);
  return log !== null && log.size >= size && log.size > heads.size;
}

/** The witnesses with an address. */
export const listAsked = ({ config }: Platform): Witness[] =>
  config.ASSAY_WITNESS_POLICY?.witnesses.filter(({ url }) => url !== null) ?? [];

/** What each witness has signed last, and which of them are not asked for now. */
export async function loadStates({ models, clock }: Platform) {
  const states = await models.witnessStates.find({}).lean<WitnessStateDocument[]>();
  const since = clock.now().getTime() - STOPPED_MS;
  const stopped = states.filter(({ stoppedAt }) => (stoppedAt?.getTime() ?? 0) > since);
  return {
    sizes: new Map(states.map(({ _id, size }) => [_id, size])),
    stopped: new Set(stopped.map(({ _id }) => _id)),
  };
}

/**
 * A witness that has signed a larger or another tree has seen what is not here any more: signing on would be a fork. Its
 * word alone stops no other: it is asked no more for some time, and the others go on while they are enough.
 */
export async function takeObjection(
  platform: Platform,
  witness: Witness,
  { answer, ...signing }: HeadsSigning & { answer: Objection },
): Promise<void> {
  const { name, vkey } = witness;
  const signed = await readSigned(platform, witness, signing);
  const proven = signed && (await findContradiction(platform, signing, signed));
  if (proven)
    return suspendLog(platform, signing.heads, `the witness ${name} has signed ${proven}`);
  const why = `the witness ${name} knows ${describeKnown(answer)}`;
  const { models, clock, config, logger } = platform;
  await models.witnessStates.updateOne({ _id: vkey }, { $set: { stoppedAt: clock.now() } });
  logger.error({ witness: name, why }, 'a witness objects, and is not asked for an hour');
  const { stopped } = await loadStates(platform);
  const left = listAsked(platform).filter((other) => !stopped.has(other.vkey));
  const policy = config.ASSAY_WITNESS_POLICY;
  if (policy && !hasQuorum(policy, new Set(left.map((other) => other.name))))
    await suspendLog(platform, signing.heads, why);
}

const describeKnown = (answer: Objection): string =>
  answer.kind === 'knows' ? `a larger tree of ${answer.size} leaves` : 'another tree';

/** Says how a tree that was signed contradicts the heads log; null: it does not. */
async function findContradiction(
  platform: Platform,
  signing: HeadsSigning,
  { size, root }: Pick<LogCheckpoint, 'size' | 'root'>,
): Promise<string | null> {
  const { _id: logId, organizationId } = signing.heads;
  if (size > signing.heads.size && !(await hasGrown(platform, signing, size)))
    return `a larger tree of ${size} leaves`;
  const own = await platform.models.logHeads
    .findOne({ organizationId, logId, size }, 'root')
    .lean();
  return own?.root === root.toString('hex') ? null : `another tree of ${size} leaves`;
}

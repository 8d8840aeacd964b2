// Rolls epochs: makes the key of the next one, seals the key store again under it, and has the former keys destroyed.
import { formatVerifierKey, isSignedBy, LOG_KEY, parseNote, signNote } from '@assay/tlog';
import { perInstance } from '../../../platform/per-instance.ts';
import type { Platform } from '../../../platform/platform.ts';
import { formatDestruction } from '../../../domain/erasure/destruction.ts';
import type { Custodian } from '../../../platform/custodian/custodian.ts';
import type { EpochDocument } from '../../../platform/key-store/epochs/epoch-store.ts';
import { loadNoteSigner } from '../../log/keys/log-keys.service.ts';
import { isRollAsked, recordDestroyed } from './destructions.service.ts';

/** The outcome of a step: the next one may follow at once, or waits for others, or nothing is to be done. */
type Progress = 'made' | 'waiting' | 'idle';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** `latest`: the run under way, or the last one. */
const openRolls = perInstance(() => ({
  ending: new AbortController(),
  latest: Promise.resolve(0),
}));

/**
 * Does what is due, one run after another; resolves with the number of steps. What fails is repeated by the next
 * run.
 */
export function rollDue(platform: Platform): Promise<number> {
  const keeper = platform.epochs.custodian;
  if (!keeper) return Promise.resolve(0);
  const rolls = openRolls(platform);
  rolls.latest = rolls.latest.then(() => tryRolling(platform, keeper));
  return rolls.latest;
}

/** Ends a run after the step that is under way. */
export function stopRolling(platform: Platform): void {
  openRolls(platform).ending.abort();
}

/** Whether the epoch has lasted as long as it may, or an erasure asked for its end. */
async function isDue(platform: Platform, { _id, createdAt }: EpochDocument): Promise<boolean> {
  const age = platform.clock.now().getTime() - createdAt.getTime();
  if (age >= platform.config.ASSAY_ERASURE_EPOCH_HOURS * HOUR) return true;
  const mayEnd = age >= platform.config.ASSAY_ERASURE_ROLL_MINUTES * MINUTE;
  return mayEnd && isRollAsked(platform, _id);
}

async function makeEpoch(platform: Platform, keeper: Custodian, epoch: number): Promise<Progress> {
  const { probe, store } = platform.epochs;
  await probe?.('make');
  const { ticket } = await keeper.makeEpoch(epoch);
  await probe?.('record-made');
  const createdAt = platform.clock.now();
  await store.addEpoch({ _id: epoch, custodian: keeper.id, ticket, createdAt });
  return 'made';
}

/** Lets the epoch seal as soon as every living instance has its key. */
async function startEpoch(platform: Platform, { _id }: EpochDocument): Promise<Progress> {
  const { follower, probe, store } = platform.epochs;
  await probe?.('follow');
  await follower.followEpochs();
  const missing = await platform.instances.countWithoutEpoch(_id);
  if (missing > 0) {
    platform.logger.info(
      { epoch: _id, missing },
      'an epoch waits until all instances have its key',
    );
    return 'waiting';
  }
  await probe?.('switch');
  await store.switchTo(_id);
  return 'made';
}

async function reencryptEpochRows(platform: Platform, { _id }: EpochDocument): Promise<Progress> {
  const { probe, store } = platform.epochs;
  await probe?.('reseal');
  if ((await store.reencryptRows(_id)) > 0) return 'made';
  await probe?.('complete');
  await store.completeEpoch(_id, platform.clock.now());
  return 'made';
}

/** Signs the statement that the epochs before one are destroyed, and checks the signature. */
async function signStatement(
  platform: Platform,
  keeper: Custodian,
  before: number,
  rowsDigest: Uint8Array,
) {
  const { host } = await loadNoteSigner(platform, 'log');
  const { publicKey, sign } = await keeper.loadSigner();
  const key = { name: keeper.signerName ?? `${host}/custodian`, type: LOG_KEY, publicKey };
  const destroyedAt = platform.clock.now();
  const facts = { origin: `${host}/log/heads`, epoch: before - 1, destroyedAt, rowsDigest };
  const statement = await signNote(formatDestruction(facts), key, sign);
  const note = parseNote(statement);
  if (!note || !isSignedBy(note, key)) throw new Error('the statement has no valid signature');
  return { destroyedAt, statement, verifierKey: formatVerifierKey(key) };
}

/** Destroys the keys of the epochs before this one, under which nothing is sealed any more. */
async function destroyFormer(
  platform: Platform,
  keeper: Custodian,
  { _id, ticket }: EpochDocument,
): Promise<Progress> {
  const { follower, probe, store } = platform.epochs;
  await probe?.('digest');
  const rowsDigest = await store.digestRows();
  await probe?.('destroy');
  await keeper.destroyBefore(_id, ticket);
  await probe?.('sign');
  const destruction = await signStatement(platform, keeper, _id, rowsDigest);
  await probe?.('record-destroyed');
  await store.recordDestruction(_id, destruction);
  await probe?.('forget');
  await follower.followEpochs();
  platform.logger.info({ before: _id }, 'the keys of former epochs are destroyed');
  return 'made';
}

/** Takes the next step of the roll that is under way, or begins one. */
async function takeStep(platform: Platform, keeper: Custodian): Promise<Progress> {
  const epochs = await platform.epochs.store.listEpochs();
  const newest = epochs.at(-1);
  if (!newest) return makeEpoch(platform, keeper, 1);
  const isSwitched = epochs.every(({ _id, state }) => _id === newest._id || state !== 'current');
  if (newest.state === 'made' || !isSwitched) return startEpoch(platform, newest);
  if (!newest.completedAt) return reencryptEpochRows(platform, newest);
  if (epochs.some(({ state }) => state === 'leaving'))
    return destroyFormer(platform, keeper, newest);
  return (await isDue(platform, newest)) ? makeEpoch(platform, keeper, newest._id + 1) : 'idle';
}

/** Takes steps until there is none, or one has to wait. Returns how many. */
async function takeSteps(platform: Platform, keeper: Custodian): Promise<number> {
  for (let steps = 0; ; steps++) {
    if (openRolls(platform).ending.signal.aborted) return steps;
    const progress = await takeStep(platform, keeper);
    if (progress !== 'made') return progress === 'idle' ? steps : steps + 1;
  }
}

async function tryRolling(platform: Platform, keeper: Custodian): Promise<number> {
  try {
    const steps = await takeSteps(platform, keeper);
    await platform.epochs.probe?.('record-erasures');
    return steps + (await recordDestroyed(platform));
  } catch (error) {
    platform.logger.error({ err: error }, 'an epoch cannot end yet: its destruction is pending');
    return 1;
  }
}

// The privacy budget: created and reset on read, spent by one conditional write that passes no cap (document 3, 4.5).
import type { z } from 'zod';
import type { Models } from '../../models.ts';
import type { Context } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Cost } from '../../domain/privacy/mechanism.ts';
import { fromNanos, toNanos } from '../../domain/privacy/nano-units.ts';
import { AppError } from '../../errors.ts';
import { AFTER, findOr404, omitUndefined } from '../../platform/mongo/queries.ts';
import { DURABLE } from '../../platform/mongo/concerns.ts';
import type { PrivacyBudgetDocument } from './privacy-budget.model.ts';
import type { budgetView, capsInput } from './privacy-budget.schemas.ts';

type Id = string | PrivacyBudgetDocument['organizationId'];
export type BudgetView = z.input<typeof budgetView>;

const DEFAULTS = {
  epsilonCap: toNanos(10),
  deltaCap: toNanos(1e-4),
  windowDurationMs: 30 * 24 * 3600 * 1000,
  isPaused: false,
} as const;
const UNSPENT = { epsilonSpent: 0, deltaSpent: 0, spendByPurpose: {}, spendByDay: {} } as const;
/** Maximum number of purposes in a window. */
const PURPOSES_MAX = 200;

export async function getBudget({ platform, tenant }: Context): Promise<BudgetView> {
  return toView(await loadCurrentBudget(platform, tenant.organizationId));
}

/**
 * Changes the caps; the window keeps its start.
 * @throws AppError `VALIDATION_ERROR` for a cap below what is spent
 */
export async function changeCaps(
  { platform: { models }, tenant: { organizationId } }: Context,
  { epsilonCap, deltaCap, windowDurationMs, paused }: z.output<typeof capsInput>,
): Promise<BudgetView> {
  const caps = {
    epsilonCap: epsilonCap && toNanos(epsilonCap),
    deltaCap: deltaCap && toNanos(deltaCap),
  };
  const { windowStartedAt } = await findOr404(findBudget(models, organizationId));
  const windowResetsAt = windowDurationMs && new Date(windowStartedAt.getTime() + windowDurationMs);
  const change = omitUndefined({ ...caps, windowDurationMs, windowResetsAt, isPaused: paused });
  const unspent = omitUndefined({
    epsilonSpent: caps.epsilonCap && { $lte: caps.epsilonCap },
    deltaSpent: caps.deltaCap && { $lte: caps.deltaCap },
  });
  const changed = await models.privacyBudgets
    .findOneAndUpdate({ organizationId, ...unspent }, { $set: change }, AFTER)
    .lean<PrivacyBudgetDocument>();
  if (!changed)
    throw new AppError('VALIDATION_ERROR', 'A cap cannot be below what is spent already');
  return toView(changed);
}

/** Returns the budget; creates it with the defaults, and begins a new window when the last has ended. */
export async function loadCurrentBudget(
  { models, clock }: Platform,
  organizationId: string,
): Promise<PrivacyBudgetDocument> {
  const now = clock.now();
  const budget =
    (await findBudget(models, organizationId)) ?? (await createBudget(models, organizationId, now));
  return budget.windowResetsAt > now ? budget : beginWindow(models, budget, now);
}

/** Refuses early what could not be spent. @throws AppError `PRIVACY_BUDGET_EXHAUSTED` */
export async function requireBudget({ platform, tenant }: Context, cost: Cost): Promise<void> {
  const budget = await loadCurrentBudget(platform, tenant.organizationId);
  const { epsilonCap, epsilonSpent, deltaCap, deltaSpent } = budget;
  const fits = epsilonSpent + cost.epsilon <= epsilonCap && deltaSpent + cost.delta <= deltaCap;
  if (toStatus(budget) !== 'active' || !fits)
    throw createExhaustedError(budget, platform.clock.now());
}

/**
 * Spends in one conditional write, in a window that `requireBudget` has found: concurrent spends pass no cap.
 * It is durable: a spend that a fail-over lost would be granted twice.
 * @throws AppError `PRIVACY_BUDGET_EXHAUSTED`, also while paused and for a purpose too many
 */
export async function consumeBudget(
  { platform, tenant: { organizationId } }: Context,
  purpose: string,
  cost: Cost,
): Promise<BudgetView> {
  const { models, clock } = platform;
  const now = clock.now();
  const windowResetsAt = { $gt: now };
  const place = `spendByPurpose.${purpose}`;
  const day = `spendByDay.${now.toISOString().slice(0, 10)}`;
  const $expr = buildSpendCondition(place, cost);
  const spent = await models.privacyBudgets
    .findOneAndUpdate(
      { organizationId, windowResetsAt, isPaused: false, $expr },
      {
        $inc: {
          epsilonSpent: cost.epsilon,
          deltaSpent: cost.delta,
          [place]: cost.epsilon,
          [day]: cost.epsilon,
        },
      },
      { returnDocument: 'after', ...DURABLE },
    )
    .lean<PrivacyBudgetDocument>();
  if (!spent)
    throw createExhaustedError(await loadCurrentBudget(platform, organizationId), clock.now());
  return toView(spent);
}

function findBudget({ privacyBudgets }: Models, organizationId: Id) {
  return privacyBudgets.findOne({ organizationId }).lean<PrivacyBudgetDocument>();
}

/** Creates the budget; of concurrent callers the first writes. */
async function createBudget(
  models: Models,
  organizationId: string,
  now: Date,
): Promise<PrivacyBudgetDocument> {
  const resetsAt = new Date(now.getTime() + DEFAULTS.windowDurationMs);
  const window = { windowStartedAt: now, windowResetsAt: resetsAt };
  const defaults = Object.assign({}, DEFAULTS, UNSPENT, window);
  const update = { $setOnInsert: defaults };
  await models.privacyBudgets.updateOne({ organizationId }, update, { upsert: true });
  return findOr404(findBudget(models, organizationId));
}

/** Begins a new window; of concurrent callers the first writes, so no spend in the new window is lost. */
async function beginWindow(
  models: Models,
  { organizationId, windowResetsAt, windowDurationMs }: PrivacyBudgetDocument,
  now: Date,
): Promise<PrivacyBudgetDocument> {
  const resetsAt = new Date(now.getTime() + windowDurationMs);
  const window = { windowStartedAt: now, windowResetsAt: resetsAt };
  await models.privacyBudgets.updateOne(
    { organizationId, windowResetsAt },
    { $set: Object.assign({}, UNSPENT, window) },
  );
  return findOr404(findBudget(models, organizationId));
}

/** Condition of a spend: it fits below both caps, and its purpose is known or within the limit. */
function buildSpendCondition(place: string, { epsilon, delta }: Cost): object {
  return {
    $and: [
      { $lt: ['$epsilonSpent', '$epsilonCap'] },
      { $lt: ['$deltaSpent', '$deltaCap'] },
      { $lte: [{ $add: ['$epsilonSpent', epsilon] }, '$epsilonCap'] },
      { $lte: [{ $add: ['$deltaSpent', delta] }, '$deltaCap'] },
      {
        $or: [
          { $ne: [{ $type: `$${place}` }, 'missing'] },
          { $lt: [{ $size: { $objectToArray: '$spendByPurpose' } }, PURPOSES_MAX] },
        ],
      },
    ],
  };
}

function toStatus(budget: PrivacyBudgetDocument): BudgetView['status'] {
  const { isPaused, epsilonSpent, epsilonCap, deltaSpent, deltaCap } = budget;
  if (isPaused) return 'paused';
  return epsilonSpent >= epsilonCap || deltaSpent >= deltaCap ? 'exhausted' : 'active';
}

function toView(budget: PrivacyBudgetDocument): BudgetView {
  const { epsilonCap, epsilonSpent, deltaCap, deltaSpent, spendByPurpose } = budget;
  const amounts = Object.entries(spendByPurpose).map(
    ([purpose, nanos]) => [purpose, fromNanos(nanos)] as const,
  );
  return {
    ...budget,
    id: budget._id,
    epsilonCap: fromNanos(epsilonCap),
    epsilonSpent: fromNanos(epsilonSpent),
    deltaCap: fromNanos(deltaCap),
    deltaSpent: fromNanos(deltaSpent),
    spendByPurpose: Object.fromEntries(amounts),
    spendByDay: Object.entries(budget.spendByDay ?? {})
      .map(([date, nanos]) => ({ date, epsilon: fromNanos(nanos) }))
      .sort((one, other) => one.date.localeCompare(other.date)),
    status: toStatus(budget),
  };
}

/** @returns AppError `PRIVACY_BUDGET_EXHAUSTED`, with the amounts that are left */
function createExhaustedError(budget: PrivacyBudgetDocument, now: Date): AppError {
  const { epsilonCap, epsilonSpent, deltaCap, deltaSpent, windowResetsAt } = budget;
  const seconds = Math.max(1, Math.ceil((windowResetsAt.getTime() - now.getTime()) / 1000));
  return new AppError('PRIVACY_BUDGET_EXHAUSTED', undefined, {
    data: {
      status: toStatus(budget),
      epsilonLeft: fromNanos(epsilonCap - epsilonSpent),
      deltaLeft: fromNanos(deltaCap - deltaSpent),
      windowResetsAt: windowResetsAt.toISOString(),
    },
    headers: { 'Retry-After': String(seconds) },
  });
}

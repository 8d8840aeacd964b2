// Keeps trials of sign-ons: the settings that are tried, and once what the provider sent. Nothing else is changed.
import type { Platform } from '../../../platform/platform.ts';
import { AppError, describeCauses } from '../../../errors.ts';
import { findOr404, insertOne } from '../../../platform/mongo/queries.ts';
import type { SsoConfig } from '../../organization/organization.model.ts';
import {
  type ActiveSso,
  openSsoDraft,
} from '../../organization/sso-settings/active-sso.service.ts';
import { foreseeSignOn } from '../login/account-linking.service.ts';
import { describePerson, listReceived, type Statement } from './statement.ts';
import type { TrialDocument, TrialResult } from './trials.model.ts';
import type { UserContext, Context } from '../../../platform/context.ts';

/** The trial that a login request belongs to. */
export interface TrialReference {
  organizationId: string;
  testId: string;
}

const KEPT_MS = 3600_000;
const NOTHING: TrialResult = {
  received: [],
  person: null,
  member: null,
  role: null,
  rule: null,
  problems: [],
};

/** Begins a trial, which replaces the one before of the same person. */
export async function createTrial(
  { platform: { models, generateId, clock }, tenant, user }: UserContext,
  settings: SsoConfig,
): Promise<TrialDocument> {
  const { organizationId } = tenant;
  const { userId } = user;
  await models.trials.deleteMany({ organizationId, userId });
  return insertOne(models.trials, {
    _id: generateId(),
    organizationId,
    userId,
    provider: settings.provider,
    settings,
    expiresAt: new Date(clock.now().getTime() + KEPT_MS),
  });
}

/**
 * Ends a trial with what the provider sent, once.
 * @throws AppError `INVALID_OPERATION` when it has ended before, or was replaced
 */
export async function settleTrial(
  platform: Platform,
  reference: TrialReference,
  receive: (settings: ActiveSso) => Promise<Statement>,
): Promise<void> {
  const result = await findResult(platform, await loadSettings(platform, reference), receive);
  await platform.models.trials.updateOne(
    { ...toLiveFilter(platform, reference), result: null },
    { $set: { result, settings: null } },
  );
}

/** @throws AppError `NOT_FOUND` */
export async function showTrial(
  { platform, tenant: { organizationId } }: Context,
  testId: string,
): Promise<TrialView> {
  const found = platform.models.trials.findOne(toLiveFilter(platform, { organizationId, testId }));
  return toTrialView(await findOr404(found.lean<TrialDocument>()));
}

const toLiveFilter = ({ clock }: Platform, { organizationId, testId }: TrialReference) => ({
  _id: testId,
  organizationId,
  expiresAt: { $gt: clock.now() },
});

async function loadSettings(platform: Platform, reference: TrialReference): Promise<ActiveSso> {
  const trial = await platform.models.trials
    .findOne({ ...toLiveFilter(platform, reference), result: null })
    .lean<TrialDocument>();
  if (!trial?.settings)
    throw new AppError(
      'INVALID_OPERATION',
      'This test has ended, or a newer one replaced it: begin another',
    );
  return openSsoDraft(platform, reference.organizationId, trial.settings as SsoConfig);
}

/** Goes as far as a sign-on would, and notes where it would be refused. */
async function findResult(
  platform: Platform,
  settings: ActiveSso,
  receive: (settings: ActiveSso) => Promise<Statement>,
): Promise<TrialResult> {
  let result = NOTHING;
  try {
    const statement = await receive(settings);
    result = { ...result, received: listReceived(statement) };
    const identity = statement.toIdentity();
    result = { ...result, person: describePerson(identity) };
    return { ...result, ...(await foreseeSignOn(platform, settings, identity)) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...result, problems: [{ code: error.code, message: describeCauses(error) }] };
  }
}

function toTrialView({ _id: id, provider, result, createdAt, expiresAt }: TrialDocument) {
  const state = result ? ('ended' as const) : ('waiting' as const);
  const shown = result && { ...result, wouldSignIn: result.problems.length === 0 };
  return { id, provider, state, createdAt, expiresAt, result: shown };
}

type TrialView = ReturnType<typeof toTrialView>;

// Finds the held decisions that a person may not decide, because they are involved in them (decisions: self-review).
import { loadWorkspaceSettings } from '../../../../identity/organization/workspaces/workspaces.service.ts';
import type { Context } from '../../../../platform/context.ts';
import { openEffectSecrets } from '../../executions/effect-secrets.ts';
import { REVIEWERS } from '../../../../domain/identity/roles.ts';
import { deriveActorMark } from '../../../../domain/review/actor-marks.ts';
import {
  DEFAULT_SELF_REVIEW,
  findSelfReview,
  type Involvement,
  INVOLVEMENTS,
  type SelfReviewRules,
} from '../../../../domain/review/self-review.ts';
import { AppError } from '../../../../errors.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { TraceDocument } from '../../traces.model.ts';
import { readActors, type StoredActors } from '../../traces.view.ts';
import {
  listPosterMakers,
  listAgentOwners,
  loadPerson,
  listOthers,
  type Person,
} from './review-people.ts';

/** What tells who is involved in a held decision. */
export type HeldSource = Pick<TraceDocument, 'traceId' | 'workspaceId' | 'agentId'> & {
  actors: StoredActors;
  /** Whom the policies exclude that held it, whatever the workspace says; absent: no one. */
  exclude?: readonly Involvement[] | undefined;
};

interface Watched extends HeldSource {
  rules: Readonly<SelfReviewRules>;
  marks: readonly string[];
}

interface Ruled extends Watched {
  keyMaker: string | undefined;
  agentOwner: string | undefined;
}

/** Finds what refuses the caller, by `traceId`. */
export type SelfReviewCheck = (
  sources: readonly HeldSource[],
) => Promise<ReadonlyMap<string, Involvement>>;

const TEXTS: Readonly<Record<Involvement, string>> = {
  actor: 'it was proposed on your behalf',
  keyMaker: 'it was posted with a key that you made',
  agentOwner: 'you registered its agent',
};

/** A check for one request, which reads the reviewers once. */
export function openSelfReviewCheck({ platform, tenant }: Context): SelfReviewCheck {
  const { organizationId, actor } = tenant;
  const userId = actor.id ?? '';
  const loadMe = keepFirst(() => loadPerson(platform, organizationId, userId));
  const choice = { roles: REVIEWERS, except: [userId] };
  const loadOthers = keepFirst(() => listOthers(platform, organizationId, choice));
  return async (sources) => {
    const ruled = actor.kind === 'user' ? await findWatched(platform, organizationId, sources) : [];
    if (ruled.length === 0) return new Map();
    const me = await loadMe();
    const involved = ruled.filter((source) => listInvolvements(source, me).length > 0);
    return listRefused(involved, { me, others: involved.length > 0 ? await loadOthers() : [] });
  };
}

/** @throws AppError `FORBIDDEN` */
export async function requireOtherReviewer(
  ctx: Context,
  sources: readonly HeldSource[],
): Promise<void> {
  const [found] = (await openSelfReviewCheck(ctx)(sources)).values();
  if (found) throw createSelfReviewError(found);
}

async function applyRules(
  platform: Platform,
  organizationId: string,
  source: HeldSource,
): Promise<Watched> {
  const settings = await loadWorkspaceSettings(platform, organizationId, source.workspaceId);
  const { marks, names } = source.actors;
  const secret = openEffectSecrets(platform)(organizationId);
  return {
    ...source,
    rules: addExclusions(settings?.preventSelfReview ?? DEFAULT_SELF_REVIEW, source.exclude),
    marks: marks.length > 0 ? marks : names.map((name) => deriveActorMark(secret, name)),
  };
}

const addExclusions = (
  rules: Readonly<SelfReviewRules>,
  excluded: readonly Involvement[] = [],
): SelfReviewRules => Object.assign({}, rules, ...excluded.map((kind) => ({ [kind]: 'always' })));

/** How people stand to a decision. */
export interface Exclusion {
  /** They never decide about it. */
  isExcluded(this: void, person: Person): boolean;
  /** A rule looks at how they are involved in it. */
  isInvolved(this: void, person: Person): boolean;
}

/** Says of decisions, by `traceId`, whom rules keep from them; those without such a rule are missing. */
export async function findExclusions(
  platform: Platform,
  organizationId: string,
  sources: readonly HeldSource[],
): Promise<ReadonlyMap<string, Exclusion>> {
  const ruled = await findWatched(platform, organizationId, sources);
  return new Map(ruled.map((source) => [source.traceId, toExclusion(source)]));
}

const toExclusion = (source: Ruled): Exclusion => ({
  isExcluded: (person) =>
    listInvolvements(source, person).some((kind) => source.rules[kind] === 'always'),
  isInvolved: (person) => listInvolvements(source, person).length > 0,
});

/** Leaves out what no rule can refuse. */
async function findWatched(
  platform: Platform,
  organizationId: string,
  sources: readonly HeldSource[],
): Promise<Ruled[]> {
  const all = await Promise.all(
    sources.map((source) => applyRules(platform, organizationId, source)),
  );
  const watched = all.filter(isWatched);
  const listWatched = (kind: Involvement) => watched.filter(({ rules }) => rules[kind] !== 'off');
  const makers = await listPosterMakers(platform, organizationId, listWatched('keyMaker'));
  const owners = await listAgentOwners(platform, organizationId, listWatched('agentOwner'));
  return watched.map((source) => ({
    ...source,
    keyMaker: makers.get(source.traceId),
    agentOwner: owners.get(source.agentId),
  }));
}

/** Expects a decision whose values are decrypted. */
export function toHeldSource(trace: TraceDocument): HeldSource {
  const { traceId, workspaceId, agentId, review } = trace;
  const { exclude: excluded } = review?.approvals ?? {};
  return { traceId, workspaceId, agentId, actors: readActors(trace), exclude: excluded };
}

export function createSelfReviewError(selfReview: Involvement): AppError {
  const text = `You may not decide this: ${TEXTS[selfReview]}. Another owner, admin or reviewer decides`;
  return new AppError('FORBIDDEN', text, { data: { selfReview } });
}

const isWatched = ({ rules, marks }: Watched): boolean =>
  rules.keyMaker !== 'off' ||
  rules.agentOwner !== 'off' ||
  (rules.actor !== 'off' && marks.length > 0);

function listRefused(
  involved: readonly Ruled[],
  { me, others }: { me: Person; others: readonly Person[] },
): Map<string, Involvement> {
  return new Map(
    involved.flatMap((source) => {
      const hasOther = others.some((one) => listInvolvements(source, one).length === 0);
      const found = findSelfReview(source.rules, listInvolvements(source, me), hasOther);
      return found === null ? [] : [[source.traceId, found] as const];
    }),
  );
}

/** The ways in which a person is involved that some rule looks at. */
function listInvolvements(source: Ruled, { userId, marks }: Person): Involvement[] {
  const { rules, keyMaker, agentOwner } = source;
  const is: Record<Involvement, boolean> = {
    actor: source.marks.some((mark) => marks.has(mark)),
    keyMaker: keyMaker === userId,
    agentOwner: agentOwner === userId,
  };
  return INVOLVEMENTS.filter((kind) => is[kind] && rules[kind] !== 'off');
}

function keepFirst<T>(load: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => (kept ??= load());
}

// Seals that a standing grant was given or has ended; an end takes all uses, so no later decision finds one.
import { commitValues } from '../../domain/record/commitments.ts';
import { sumSlots } from '../../domain/budgets/spending.ts';
import {
  countUses,
  type GrantStatus,
  listEntrySpendings,
  toGrantKey,
} from '../../domain/grants/grant-use.ts';
import type { Actor, GrantFacts } from '../../domain/record/payload.ts';
import type { Stored } from '../../ledger/entry.ts';
import type { Platform } from '../../platform/platform.ts';
import { insertOne } from '../../platform/mongo/queries.ts';
import type { GrantCause, StandingGrantDocument } from './grants.model.ts';
import { invalidateGrants } from './standing-grants.service.ts';

type GivenGrant = Omit<
  StandingGrantDocument,
  'sequence' | 'status' | 'cause' | 'endedAt' | 'endedBy' | 'used' | 'createdAt' | 'updatedAt'
>;

/** Seals the grant and stores it. */
export async function giveGrant(
  platform: Platform,
  grant: GivenGrant,
  actor: Actor,
): Promise<StandingGrantDocument> {
  const { tool, server, when, policies, fromTraceId, reason } = grant;
  const values = {
    terms: { tool, server, when: [...when], policies: [...policies], fromTraceId },
    reason: reason ?? undefined,
  };
  const committed = commitValues(values as never, platform.draw16Bytes);
  const entry = await platform.ledger.attestations.appendUnless(
    { ...toFacts(grant, 'granted'), actor },
    { committed, once: null },
    () => false,
  );
  if (!entry) throw new TypeError('a grant is given once');
  const { sequence } = entry;
  const row = { ...grant, sequence, status: 'granted' };
  const given = await insertOne(platform.models.standingGrants, row as never);
  invalidateGrants(platform, grant.organizationId.toHexString());
  return given as StandingGrantDocument;
}

/** Why and by whom a grant ends. */
export interface GrantEnd {
  status: Exclude<GrantStatus, 'granted'>;
  actor: Actor;
  cause?: GrantCause | undefined;
  /** Scrubbed. */
  reason?: string | undefined;
}

/** Seals the end of a grant, unless it has ended; then the document follows the chain. */
export async function endGrant(
  platform: Platform,
  grant: StandingGrantDocument,
  why: GrantEnd,
): Promise<void> {
  const organizationId = grant.organizationId.toHexString();
  const end = await sealEnd(platform, grant, why);
  if (!end) return;
  const { status, actor } = readFacts(end.entry);
  await platform.models.standingGrants.updateOne(
    { _id: grant._id, organizationId, endedAt: null },
    {
      $set: {
        status,
        endedAt: end.entry.createdAt,
        endedBy: actor.kind === 'user' ? actor.id : null,
        cause: (end.isNew && why.cause) || null,
        used: readUsed(end.entry, grant.uses),
      },
    },
  );
  invalidateGrants(platform, organizationId);
}

/** The entry that ends it: a new one, or that of an earlier end. */
async function sealEnd(
  platform: Platform,
  grant: StandingGrantDocument,
  { status, actor, cause, reason }: GrantEnd,
): Promise<{ entry: Stored; isNew: boolean } | null> {
  const facts = { ...toFacts(grant, status), actor };
  const committed = commitValues({ cause, reason }, platform.draw16Bytes);
  const spends = { added: listEntrySpendings(facts), caps: [] };
  let before: Stored | null = null;
  const sealed = await platform.ledger.attestations.appendUnless(
    facts,
    { committed, once: null, spends },
    (newest) => {
      before = newest;
      return newest !== null && readFacts(newest).status !== 'granted';
    },
  );
  if (sealed) return { entry: sealed, isNew: true };
  return before && { entry: before, isNew: false };
}

const readFacts = ({ view }: Pick<Stored, 'view'>): GrantFacts => JSON.parse(view) as GrantFacts;

/** The end holds the sum after it. */
const readUsed = ({ spent = [] }: Pick<Stored, 'spent'>, uses: number): number =>
  countUses(sumSlots(spent[0]?.slots ?? []).amount, { uses, isEnded: true });

function toFacts(grant: GivenGrant, status: GrantStatus) {
  return {
    kind: 'grant',
    organizationId: grant.organizationId.toHexString(),
    workspaceId: grant.workspaceId.toHexString(),
    grantId: grant._id.toHexString(),
    status,
    agent: grant.agentId.toHexString(),
    toolDigest: grant.toolDigest,
    uses: grant.uses,
    until: grant.until.toISOString(),
  } as const;
}

/** How often grants that stand were used by now, by id. */
export async function countUsed(
  platform: Platform,
  organizationId: string,
  grants: readonly Pick<StandingGrantDocument, '_id' | 'uses'>[],
): Promise<ReadonlyMap<string, number>> {
  if (grants.length === 0) return new Map();
  const { sums } = platform.ledger;
  const head = (await platform.ledger.appender.readHead(organizationId))?.sequence ?? 0;
  const keys = grants.map(({ _id }) => toGrantKey(_id.toHexString()));
  const found = await sums.readAt(organizationId, head, keys);
  return new Map(
    grants.map(({ _id, uses }) => {
      const id = _id.toHexString();
      const { amount } = sumSlots(found.get(toGrantKey(id))?.slots ?? []);
      return [id, countUses(amount, { uses, isEnded: false })];
    }),
  );
}

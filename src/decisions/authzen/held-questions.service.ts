// Asks questions of AuthZEN, and finds the open or approved hold of one that is asked again under another request id.
import { createHmac } from 'node:crypto';
import { canonicalize, type JsonObject } from '@assay/json';
import { AppError, isDuplicateKey } from '../../errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type {
  AskRequest,
  Permission,
  PermissionService,
  Question,
} from '../traces/permissions/permissions.service.ts';
import type { AuthzenHoldDocument } from './authzen-holds.model.ts';

type Caller = Parameters<PermissionService['askPermission']>[0];
type Settled = Permission | AppError;

/** Refusals after which a hold is no longer open: the question is asked as a new one. */
const ENDED: ReadonlySet<string> = new Set([
  'APPROVAL_USED',
  'APPROVAL_REJECTED',
  'APPROVAL_EXPIRED',
]);

export function createHeldQuestions(
  { models: { authzenHolds }, secrets }: Pick<Platform, 'models' | 'secrets'>,
  { permissions }: { permissions: PermissionService },
) {
  /** A keyed digest: a plain one would let an erased question be guessed. An approval is bound to the action alone. */
  function digest({ tenant, key }: Caller, { decision }: Question): string {
    const { agentId = null, actor = null, outputDecision = null } = decision;
    const { organizationId, workspaceId } = tenant;
    const asked = [organizationId, workspaceId, key.agentId, agentId, actor, outputDecision];
    const text = `access-hold:${canonicalize(asked)}`;
    return createHmac('sha256', secrets.ledgerKey).update(text).digest('base64url');
  }

  async function findHolds(
    { tenant: { organizationId } }: Caller,
    digests: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const where = { organizationId, question: { $in: [...new Set(digests)] } };
    const found = await authzenHolds.find(where).lean<AuthzenHoldDocument[]>();
    return new Map(found.map(({ question, traceId }) => [question, traceId]));
  }

  /** The permission of an earlier hold; null where that has ended, or the caller does not see it. */
  async function askHold(
    { tenant }: Caller,
    { decision }: Question,
    traceId: string,
  ): Promise<Permission | null> {
    const { action = {} } = decision['outputDecision'] as { action?: JsonObject };
    const held = { traceId, action, mayEdit: () => false };
    const settled = await permissions.settleHeld(tenant, held);
    if (settled instanceof AppError) return null;
    return settled.state === 'refused' && ENDED.has(settled.error.code) ? null : settled;
  }

  /** The permissions of earlier holds, by the place of their question. */
  async function askHolds(
    caller: Caller,
    questions: readonly Question[],
    findHold: (index: number) => string | undefined,
  ): Promise<ReadonlyMap<number, Permission>> {
    const earlier = new Map<number, Permission>();
    // One after the other, since the same question twice is two executions.
    for (const [index, question] of questions.entries()) {
      const traceId = findHold(index);
      const found = traceId === undefined ? null : await askHold(caller, question, traceId);
      if (found) earlier.set(index, found);
    }
    return earlier;
  }

  async function keepHold(
    { tenant: { organizationId } }: Caller,
    question: string,
    traceId: string,
  ): Promise<void> {
    const change = { $set: { traceId } };
    await authzenHolds
      .updateOne({ organizationId, question }, change, { upsert: true })
      .catch((error: unknown) => {
        // The same question was held at the same moment: either hold is found.
        if (!isDuplicateKey(error)) throw error;
      });
  }

  return {
    /**
     * Asks as `askPermission` does; a question whose hold is open or approved is that hold.
     * @throws AppError `SERVICE_UNAVAILABLE`, and what is a fault
     */
    async ask(
      caller: Caller,
      questions: readonly Question[],
      request: AskRequest,
    ): Promise<Settled[]> {
      const digests = questions.map((question) => digest(caller, question));
      const holds = await findHolds(caller, digests);
      const earlier = await askHolds(caller, questions, (index) => holds.get(digests[index] ?? ''));
      const rest = questions.filter((_, index) => !earlier.has(index));
      const asked = (await permissions.askPermission(caller, rest, request)).values();
      const settled: Settled[] = [];
      for (const [index, question] of digests.entries()) {
        const known = earlier.get(index);
        const next = known ?? asked.next().value;
        if (!next) break;
        settled.push(next);
        if (!known && !(next instanceof AppError) && next.state === 'held')
          await keepHold(caller, question, next.answer.traceId);
      }
      return settled;
    },
  };
}
export type HeldQuestions = ReturnType<typeof createHeldQuestions>;

// Halts agents and whatever else is the target: an entry of the chain behind which nothing is let go on.
import type { z } from 'zod';
import type { HaltFacts } from '../../domain/record/payload.ts';
import { isBinding } from '../../domain/halt/halt.ts';
import { joinStops, type Stop } from '../../domain/halt/stops.ts';
import type { Key } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { loadTextScrubber } from '../../decisions/traces/scrubbing/read-scrubbers.service.ts';
import { AppError } from '../../errors.ts';
import type { Context, UserContext } from '../../platform/context.ts';
import type { Listed } from '../../platform/mongo/queries.ts';
import { BINDING_MAX, isHaltedAlready, sealHalt } from './halt-entries.service.ts';
import { findTarget } from './halt-targets.service.ts';
import {
  findResumption,
  listResumptions,
  requestResumption,
  type Resumed,
} from './halt-resumptions.service.ts';
import type {
  HaltDetail,
  haltQuery,
  HaltView,
  ownHaltInput,
  resumptionInput,
} from './halts.schemas.ts';
import { toHaltView } from './halts.view.ts';
import { listUnderWay } from './under-way.service.ts';

type Said = Pick<HaltFacts, 'scope'> & { state: 'halted' | 'watched' } & {
  reason?: string | undefined;
};

/** Reads the stops of the caller's organisation, the newest first. */
async function loadStops({ platform, tenant }: Context): Promise<Stop[]> {
  return joinStops(await platform.ledger.halts.listRecords(tenant.organizationId));
}

/** @throws AppError `NOT_FOUND` */
async function findStop(ctx: Context, id: string): Promise<Stop> {
  const found = (await loadStops(ctx)).find((stop) => stop.id === id);
  if (!found) throw new AppError('NOT_FOUND');
  return found;
}

/** A halt after a request, and whether the request changed anything. */
export interface Halted {
  halt: HaltDetail;
  isNew: boolean;
}

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION`, `VALIDATION_ERROR` */
export async function beginHalt(
  ctx: Context,
  { target, ...said }: Said & { target?: string | undefined },
): Promise<Halted> {
  const found = await findTarget(ctx, { scope: said.scope, target });
  const scrubber = await loadTextScrubber(ctx.platform, ctx.tenant.organizationId);
  const scrub = (text: string): string => scrubber.scrubString(text).text;
  const reason = said.reason === undefined ? undefined : scrub(said.reason);
  const { target: id, name, session } = found;
  const named = { target: id, name: scrub(name), session };
  await requireRoom(ctx, said.scope);
  const isNew = await sealHalt(ctx, { ...said, ...named, reason }, isHaltedAlready(said.state));
  const stop = await findBindingStop(ctx, said.scope, found.target);
  if (!stop) throw new AppError('CONFLICT', 'It was resumed in the meantime: halt it again');
  return { halt: await toDetail(ctx, stop), isNew };
}

/** Sessions are many, and every instance remembers what binds. @throws AppError `INVALID_OPERATION` */
async function requireRoom(ctx: Context, scope: Stop['scope']): Promise<void> {
  if (scope !== 'session') return;
  const binding = (await loadStops(ctx)).filter(isBinding);
  if (binding.length >= BINDING_MAX)
    throw new AppError(
      'INVALID_OPERATION',
      `${BINDING_MAX} targets are halted already: resume some, or halt the agent`,
    );
}

async function findBindingStop(
  ctx: Context,
  scope: Stop['scope'],
  target: string,
): Promise<Stop | undefined> {
  const stops = await loadStops(ctx);
  return stops.find((stop) => stop.scope === scope && stop.target === target && isBinding(stop));
}

/** What the holder of a key may halt: its own agent, a session of it, its own workspace. */
export function beginOwnHalt(
  ctx: Context & { key: Key },
  input: z.output<typeof ownHaltInput>,
): Promise<Halted> {
  const { scope, target, reason } = input;
  const { agentId, workspaceId } = ctx.key;
  const own = { agent: agentId ?? target, session: target, workspace: workspaceId ?? undefined };
  if (scope === 'agent' && agentId !== null && target !== undefined && target !== agentId)
    throw new AppError('FORBIDDEN', 'The key of an agent halts its own agent');
  if (scope === 'workspace' && (agentId !== null || workspaceId === null))
    throw new AppError('FORBIDDEN', 'The key is bound to no workspace');
  return beginHalt(ctx, { scope, state: 'halted', target: own[scope], reason });
}

export async function listHalts(
  ctx: Context,
  { binding, scope }: z.output<typeof haltQuery>,
  { skip, limit }: Page,
): Promise<Listed<HaltView>> {
  const matching = (await loadStops(ctx)).filter(
    (stop) =>
      (binding === undefined || isBinding(stop) === binding) &&
      (scope === undefined || stop.scope === scope),
  );
  const page = matching.slice(skip, skip + limit);
  const waiting = await listResumptions(ctx, page);
  const items = page.map((stop) => toHaltView(stop, waiting.get(stop.id) ?? null));
  return { items, total: matching.length };
}

/** @throws AppError `NOT_FOUND` */
export async function getHalt(ctx: Context, id: string): Promise<HaltDetail> {
  return toDetail(ctx, await findStop(ctx, id));
}

/**
 * Requests that it goes on, or lets it once a second person has confirmed.
 * @throws AppError `NOT_FOUND`, `INVALID_OPERATION`
 */
export async function resumeHalt(
  ctx: UserContext,
  id: string,
  request: z.output<typeof resumptionInput>,
): Promise<{ halt: HaltDetail; word: Resumed }> {
  const stop = await findStop(ctx, id);
  const word = await requestResumption(ctx, stop, request);
  if (word === 'given') {
    const { scope, target, name } = stop;
    const said = { scope, target, name: name ?? undefined, state: request.to };
    await sealHalt(ctx, said, (newest, entry) => {
      // What was confirmed is the halt as it was seen.
      if (entry?.sequence !== stop.sequence && newest?.state !== request.to)
        throw new AppError('CONFLICT', 'It was halted again in the meantime: read it again');
      return newest?.state === request.to;
    });
  }
  return { halt: await getHalt(ctx, id), word };
}

async function toDetail(ctx: Context, stop: Stop): Promise<HaltDetail> {
  const { history } = stop;
  return {
    ...toHaltView(stop, await findResumption(ctx, stop)),
    history: history.map(({ state, createdAt, by, reason, sequence, chainHash }) => ({
      state,
      at: createdAt,
      by,
      reason,
      hashChain: { sequence, chainHash },
    })),
    underWay: await listUnderWay(ctx, stop),
  };
}

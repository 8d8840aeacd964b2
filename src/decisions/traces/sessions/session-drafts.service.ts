// Drafts a decision on the state of its session.
import { listSourceTraces, readOrigins } from '@assay/policy';
import type { Json } from '@assay/json';
import { AbandonedError } from '../../../errors.ts';
import type { Draft } from '../../../ledger/entry.ts';
import { type AcceptedRequest, draftAccepted } from '../ingestion/drafter.ts';
import { InspectedBody } from '../ingestion/large-bodies.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { IngestBody } from '../traces.schemas.ts';
import { loadSourceResults } from './source-results.service.ts';
import { findSessionPlace, toJudgedSession } from './session-place.service.ts';
import { draftInTurn, readSession } from './session-tails.service.ts';

/** @throws AppError `SERVICE_UNAVAILABLE`; AbandonedError where the caller has left before its turn */
export async function draftInSession(
  body: IngestBody | InspectedBody,
  accepted: AcceptedRequest,
): Promise<Draft<TraceDocument>> {
  const { ctx, request, judging, agentMark } = accepted;
  const { workspaceId, agent, sessionRules, at } = judging;
  const said = {
    workspaceId,
    agent: agent?.agentId ?? agentMark ?? '',
    sessionId: body.sessionId,
    parentTraceId: body.parentTraceId,
  };
  const place = await findSessionPlace(ctx, said, sessionRules);
  const name = { organizationId: ctx.tenant.organizationId, key: place.key };
  const results = await loadSourceResults(ctx.platform, name, findSourceTraces(body));
  const draft = async (known: Awaited<ReturnType<typeof readSession>>) => {
    if (request.hasLeft()) throw new AbandonedError();
    const { idleHours } = sessionRules;
    const session = await toJudgedSession(ctx, place, { known, at, idleHours, results });
    return draftAccepted(body, { ...accepted, judging: { ...judging, session } });
  };
  if (request.isAlone) return draft(await readSession(ctx.platform, name));
  return draftInTurn(ctx.platform, name, draft);
}

const findSourceTraces = (body: IngestBody | InspectedBody): readonly string[] =>
  body instanceof InspectedBody
    ? body.sourceTraces
    : listSourceTraces(readOrigins(body.origins as Json | undefined));

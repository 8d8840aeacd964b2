// The guardian of the Agent Control Standard (v0.1.0): each tool call is asked for, held, denied and recorded as any other.
import { useMessageOnce } from '../../identity/sign-on/login/used-messages.service.ts';
import type { z } from 'zod';
import { isJsonObject, type Json, type JsonObject, parseSafeJson } from '@assay/json';
import type { KeyContext } from '../../platform/context.ts';
import { deriveSessionKey, hasSignature, signEnvelope } from '../../domain/acs/signature.ts';
import {
  findOverrides,
  type ToolStep,
  toStepAction,
  toStepDecision,
} from '../../domain/acs/tool-step.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError } from '../../errors.ts';
import { checkInput } from '../../platform/inputs/check-input.ts';
import {
  askPermission,
  type AskRequest,
  endAsked,
  waitForVerdict,
} from '../traces/permissions/permissions.service.ts';
import { describeDisposition, type Forms } from './dispositions.ts';
import {
  type AcsAddress,
  type AcsRequest,
  acsRequest,
  resultPayload,
  toolPayload,
} from './acs.schemas.ts';
import { answerHello, answerPing, SKEW_MS, VERSION } from './negotiation.ts';
import { RPC, RpcError } from './rpc-errors.ts';

interface AcsMeta extends AskRequest {
  rawBody: Buffer;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Steps of the standard that no session negotiates here. */
const OTHER_METHODS = /^(steps|agbom|trace|system|handshake|protocols|wrapped:[\w.-]+)\b/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Answers one request of JSON-RPC, signed by the key of its session.
 * @throws AppError `SERVICE_UNAVAILABLE`, and what is a fault
 */
export async function answerAcs(
  ctx: KeyContext,
  meta: AcsMeta,
  address: AcsAddress,
): Promise<{ jsonrpc: '2.0'; id: string | number | null }> {
  const envelope = parseEnvelope(meta.rawBody);
  if (envelope instanceof RpcError) return toAnswer(null, { error: envelope.toJson() });
  const id = readId(envelope);
  if (envelope['method'] === 'system/ping')
    return toAnswer(id, { result: answerPing(envelope, ctx.platform.clock.now()) });
  const key = deriveSessionKey(readSecret(meta), readSession(envelope));
  const signAnswer = (part: 'result' | 'error', content: JsonObject) => {
    const { keyId } = ctx.key;
    return toAnswer(
      id,
      signEnvelope({ jsonrpc: '2.0', id, [part]: content }, part, { key, keyId }),
    );
  };
  try {
    return signAnswer('result', await answerSigned(ctx, envelope, { meta, address, key }));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return signAnswer('error', error.toJson());
  }
}

/** @throws RpcError for a time outside of the window, or a request that was seen before */
async function requireFresh(
  { platform, tenant }: KeyContext,
  { params }: AcsRequest,
): Promise<void> {
  const { timestamp, request_id: requestId, metadata } = params;
  const skew = Math.abs(platform.clock.now().getTime() - Date.parse(timestamp));
  if (skew > SKEW_MS)
    throw new RpcError(RPC.timestamp, 'TIMESTAMP_OUT_OF_WINDOW', { skew_window_ms: SKEW_MS });
  const issuer = `acs:${metadata.session_id}`;
  const message = { issuer, id: requestId.toLowerCase() };
  await useMessageOnce(platform, tenant.organizationId, message).catch((error: unknown) => {
    if ((error as AppError).code !== 'TOKEN_VERIFICATION_FAILED') throw error;
    throw new RpcError(RPC.replay, 'REPLAY_DETECTED: the request_id was used in this session');
  });
}

async function askForTool(
  ctx: KeyContext,
  request: AcsRequest,
  { meta, forms }: { meta: AcsMeta; forms: Forms },
): Promise<JsonObject> {
  const step = readToolStep(request);
  const question = { decision: toDecision(ctx, request, step), key: deriveStepKey(request) };
  const [permission] = await askPermission(ctx, [question], meta);
  return describeDisposition(ctx.platform, permission ?? new AppError('INTERNAL_ERROR'), forms);
}

/** Answers for the person who decides: the call is repeated, and claimed once it is approved. */
async function answerApproval(
  ctx: KeyContext,
  request: AcsRequest,
  { traceId, edits }: { traceId: string; edits: Forms['edits'] },
): Promise<JsonObject> {
  if (request.method !== 'steps/toolCallRequest')
    throw new RpcError(RPC.notNegotiated, 'CAPABILITY_NOT_NEGOTIATED', {
      method: request.method,
    });
  const action = toStepAction(readToolStep(request));
  const mayEdit = (edited: JsonObject): boolean =>
    edits === 'modify' && findOverrides(action, edited) !== null;
  const permission = await waitForVerdict(ctx, { traceId, action, mayEdit });
  return describeDisposition(ctx.platform, permission, { hold: 'defer', edits, action });
}

/** Ends the execution of a claimed call; other results are only answered. */
async function recordResult(ctx: KeyContext, request: AcsRequest): Promise<JsonObject> {
  const payload = checkPayload(resultPayload, request);
  const { request_id_ref: asked, exit_status: status, duration_ms: duration } = payload;
  if (asked !== undefined)
    await endAsked(ctx, deriveStepKey(request, asked), {
      outcome: /^(success|succeeded|ok|completed|0)$/i.test(status) ? 'succeeded' : 'failed',
      durationMs: duration === undefined ? undefined : Math.round(duration),
    });
  return { decision: 'allow' };
}

async function decide(
  ctx: KeyContext,
  request: AcsRequest,
  { meta, address }: { meta: AcsMeta; address: AcsAddress },
): Promise<JsonObject> {
  const { method } = request;
  const { hold = 'ask', edits = 'modify', approval } = address;
  if (approval !== undefined) return answerApproval(ctx, request, { traceId: approval, edits });
  if (method === 'steps/toolCallRequest')
    return askForTool(ctx, request, { meta, forms: { hold, edits } });
  if (method === 'steps/toolCallResult') return recordResult(ctx, request);
  if (OTHER_METHODS.test(method))
    throw new RpcError(RPC.notNegotiated, 'CAPABILITY_NOT_NEGOTIATED', { method });
  throw new RpcError(RPC.method, 'No such method');
}

async function answerSigned(
  ctx: KeyContext,
  envelope: JsonObject,
  { meta, address, key }: { meta: AcsMeta; address: AcsAddress; key: Buffer },
): Promise<JsonObject> {
  if (!hasSignature(envelope, key)) throw new RpcError(RPC.signature, 'SIGNATURE_INVALID');
  const request = readEnvelope(envelope);
  const { request_id: requestId } = request.params;
  await requireFresh(ctx, request);
  if (request.method === 'handshake/hello') return answerHello(request);
  const decided = await decide(ctx, request, { meta, address });
  return { type: 'final', acs_version: VERSION, request_id: requestId, ...decided };
}

const toAnswer = (id: string | number | null, members: JsonObject) => ({
  ...members,
  jsonrpc: '2.0' as const,
  id,
});

function parseEnvelope(body: Buffer): JsonObject | RpcError {
  let parsed: Json;
  try {
    parsed = parseSafeJson(utf8.decode(body));
  } catch {
    return new RpcError(RPC.parse, 'The body is no safe JSON');
  }
  if (isJsonObject(parsed)) return parsed;
  return new RpcError(RPC.request, 'One request at a time: an object');
}

function readId({ id = null }: JsonObject): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** The session that a request names, before it is checked. */
function readSession({ params = null }: JsonObject): string {
  const metadata = isJsonObject(params) ? (params['metadata'] ?? null) : null;
  const session = isJsonObject(metadata) ? metadata['session_id'] : null;
  return typeof session === 'string' ? session : '';
}

/** The API key as the request brought it: both sides know it, and no other secret has to be kept. */
function readSecret({ headers }: AcsMeta): string {
  const { 'x-api-key': named, authorization } = headers;
  if (typeof named === 'string' && named !== '') return named;
  return /^Bearer +(\S+)$/i.exec(String(authorization ?? ''))?.[1] ?? '';
}

/** @throws RpcError */
function readEnvelope(envelope: JsonObject): AcsRequest {
  try {
    return checkInput(acsRequest, envelope, () => 'VALIDATION_ERROR');
  } catch (error) {
    throw toRpcError(error, RPC.request);
  }
}

/** @throws RpcError */
function checkPayload<T>(schema: z.ZodType<T>, request: AcsRequest): T {
  try {
    return checkInput(schema, request.params.payload, () => 'VALIDATION_ERROR');
  } catch (error) {
    throw toRpcError(error, RPC.params);
  }
}

const toRpcError = (error: unknown, code: number): unknown =>
  error instanceof AppError ? new RpcError(code, error.message) : error;

const readToolStep = (request: AcsRequest): ToolStep =>
  checkPayload(toolPayload, request) as ToolStep;

/** The key of a step within its session, by which its result finds it. */
const deriveStepKey = ({ params }: AcsRequest, requestId = params.request_id): string =>
  `acs:${sha256Hex(JSON.stringify([params.metadata.session_id, requestId.toLowerCase()]))}`;

function toDecision({ key }: KeyContext, { params }: AcsRequest, step: ToolStep): JsonObject {
  const { metadata, request_id: requestId } = params;
  const { agent_id: agentId, session_id: sessionId, turn_id: turn, user_context: user } = metadata;
  return toStepDecision(step, {
    agentId: key.agentId ?? agentId,
    sessionId,
    requestId,
    turnId: turn ?? null,
    userId: user?.user_id ?? null,
  });
}

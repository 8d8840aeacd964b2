// The handshake of the Agent Control Standard, and its ping.
import type { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '@assay/json';
import { ALGORITHM } from '../../domain/acs/signature.ts';
import { AppError } from '../../errors.ts';
import { checkInput } from '../../platform/inputs/check-input.ts';
import { type AcsRequest, helloPayload } from './acs.schemas.ts';
import { RPC, RpcError } from './rpc-errors.ts';

export const VERSION = '0.1.0';
export const SKEW_MS = 300_000;
const TIMEOUT_MS = 10_000;
const METHODS = ['steps/toolCallRequest', 'steps/toolCallResult'];
const ECHO_MAX = 1000;

/** Answers a ClientHello. @throws RpcError */
export function answerHello({ params }: AcsRequest): JsonObject {
  const hello = readHello(params.payload);
  if (!hello.acs_versions_supported.some((version) => version.startsWith('0.')))
    throw new RpcError(RPC.version, 'UNSUPPORTED_VERSION', { supported_versions: [VERSION] });
  const answer: JsonObject = {
    negotiated_version: VERSION,
    methods_evaluated: METHODS.filter((method) => hello.methods_implemented.includes(method)),
    selected_transport: hello.transports_supported.includes('https') ? 'https' : 'http',
    signature_algorithms_supported: [ALGORITHM],
    timeout_config: { default_ms: TIMEOUT_MS },
    skew_window_ms: SKEW_MS,
    on_decision_failure: 'deny',
    approver_types_supported: ['human'],
    policy_requires_provenance: false,
    // Neither a context of sessions nor the other hooks are kept, which the core profile asks for.
    profiles_accepted: [],
  };
  const { request_id: requestId } = params;
  const envelope = {
    type: 'final',
    acs_version: VERSION,
    request_id: requestId,
    decision: 'allow',
  };
  // The standard's adapters read the payload, its other implementation the result itself.
  return { ...answer, ...envelope, payload: answer };
}

/** @throws RpcError */
function readHello(payload: unknown): z.output<typeof helloPayload> {
  try {
    return checkInput(helloPayload, payload, () => 'VALIDATION_ERROR');
  } catch (error) {
    if (error instanceof AppError) throw new RpcError(RPC.params, error.message);
    throw error;
  }
}

/** A ping is answered whatever it holds, and unsigned. */
export function answerPing({ params = null }: JsonObject, now: Date): JsonObject {
  const payload = readMember(params, 'payload');
  const echo = readMember(payload, 'echo');
  const requestId = readMember(params, 'request_id');
  return {
    type: 'final',
    acs_version: VERSION,
    request_id: typeof requestId === 'string' ? requestId.slice(0, ECHO_MAX) : '',
    decision: 'allow',
    payload: {
      status: 'ok',
      ...(typeof echo === 'string' && { echo: echo.slice(0, ECHO_MAX).toWellFormed() }),
      server_timestamp: now.toISOString(),
    },
  };
}

const readMember = (holder: Json, name: string): Json =>
  isJsonObject(holder) ? (holder[name] ?? null) : null;

// Answers access evaluations: each question is recorded as a decision, and permitted only where its action may run now.
import { isJsonObject, type JsonObject, canonicalize } from '@assay/json';
import type { KeyContext } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';
import { applyDefaults, isLast, type Semantic } from '../../domain/authzen/boxcar.ts';
import { type AccessQuestion, toAction, toDecision } from '../../domain/authzen/evaluation.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { SCHEMA_VERSIONS } from '../../domain/record/schema-versions.ts';
import { AppError } from '../../errors.ts';
import { checkInput } from '../../platform/inputs/check-input.ts';
import type { AskRequest } from '../traces/permissions/permissions.service.ts';
import {
  evaluationInput,
  type EvaluationAnswer,
  type EvaluationsAnswer,
  type EvaluationsInput,
  type PolicyDecisionPoint,
} from './authzen.schemas.ts';
import { describeAnswer, REQUESTS } from './evaluation-answers.ts';
import { type AskedQuestion, askQuestions, type Settled } from './held-questions.service.ts';
import { explainApproval } from './presented-approvals.service.ts';

/** The parts of a request that matter besides its body. */
interface AuthzenRequest extends AskRequest {
  requestId: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Limits of the newest version of the trace schema, which every question is recorded under. */
const { actionBytes, contextBytes } = SCHEMA_VERSIONS.at(-1)?.limits ?? {
  actionBytes: 0,
  contextBytes: 0,
};
/** Bytes of all questions of a request, with their default values. */
const TOTAL_BYTES = 2 * 1024 * 1024;
/** Characters of a request id that tells a repeated question from another one. */
const REQUEST_ID_MAX = 256;

/**
 * Answers one question.
 * @throws AppError `VALIDATION_ERROR`, `SVC_VALIDATION_FAILED`, `FORBIDDEN`, `CONFLICT`, `DECISION_ERASED`,
 * `USAGE_LIMIT_EXCEEDED`, `SERVICE_UNAVAILABLE`
 */
export async function evaluateAccess(
  ctx: KeyContext,
  evaluation: AccessQuestion,
  request: AuthzenRequest,
): Promise<EvaluationAnswer> {
  requireWithinLimits(evaluation, new Map());
  const question = toQuestion(ctx, evaluation, { request, index: 0 });
  const [settled] = await askQuestions(ctx, [question], request);
  if (!settled) throw new AppError('INTERNAL_ERROR');
  if (settled.permission instanceof AppError) throw settled.permission;
  return describeSettled(ctx, question, settled);
}

/**
 * Answers several questions; without a list it answers the one that the defaults are. What is wrong with one denies
 * that one alone.
 * @throws AppError as `evaluateAccess` does for a single one; `PAYLOAD_TOO_LARGE`, `SERVICE_UNAVAILABLE`
 */
export async function evaluateAll(
  ctx: KeyContext,
  input: EvaluationsInput,
  request: AuthzenRequest,
): Promise<EvaluationsAnswer> {
  const { evaluations = [], options, ...defaults } = input;
  if (evaluations.length === 0) return evaluateAccess(ctx, checkEvaluation(defaults), request);
  const sizes: Sizes = new Map();
  const items = evaluations.map((one, index) => {
    const checked = readEvaluation(one, defaults as JsonObject, sizes);
    if (checked instanceof AppError) return checked;
    return toQuestion(ctx, checked, { request, index });
  });
  const semantic = options?.evaluations_semantic ?? 'execute_all';
  return {
    evaluations: await (semantic === 'execute_all'
      ? askAll(ctx, items, request)
      : askInTurn(ctx, items, { semantic, request })),
  };
}

/** The metadata of this policy decision point. */
export function describePoint({ publicUrl }: Platform): PolicyDecisionPoint {
  return {
    policy_decision_point: publicUrl,
    access_evaluation_endpoint: `${publicUrl}/access/v1/evaluation`,
    access_evaluations_endpoint: `${publicUrl}/access/v1/evaluations`,
    access_request_endpoint: publicUrl + REQUESTS,
    capabilities: ['urn:openid:authzen:capability:access-request'],
  };
}

async function askAll(
  ctx: KeyContext,
  items: readonly (AskedQuestion | AppError)[],
  request: AuthzenRequest,
): Promise<EvaluationAnswer[]> {
  const questions = items.flatMap((item) => (item instanceof AppError ? [] : [item]));
  const settled = (await askQuestions(ctx, questions, request)).values();
  const given: EvaluationAnswer[] = [];
  for (const item of items)
    given.push(
      item instanceof AppError
        ? describeAnswer(ctx.platform, { permission: item, until: null })
        : await describeSettled(ctx, item, takeNext(settled)),
    );
  return given;
}

/** Asks one after the other, until an answer ends it. Later questions are not recorded. */
async function askInTurn(
  ctx: KeyContext,
  items: readonly (AskedQuestion | AppError)[],
  { semantic, request }: { semantic: Semantic; request: AuthzenRequest },
): Promise<EvaluationAnswer[]> {
  const { overLimit, endComputing: _end, ...single } = request;
  const within = items.length - (overLimit?.count ?? 0);
  const given: EvaluationAnswer[] = [];
  for (const [index, item] of items.entries()) {
    const asked = index < within || !overLimit ? item : overLimit.error;
    const [answer] = await askAll(ctx, [asked], single);
    if (answer) given.push(answer);
    if (!answer || isLast(semantic, answer.decision)) break;
  }
  return given;
}

/** What became of a question, and of the approval that it brought. */
async function describeSettled(
  ctx: KeyContext,
  { asked }: AskedQuestion,
  settled: Settled,
): Promise<EvaluationAnswer> {
  const { decision, context } = describeAnswer(ctx.platform, settled);
  const explained = await explainApproval(ctx, asked.context, settled.permission);
  return { decision, context: { ...context, ...explained } };
}

/** There is an answer to every question. */
function takeNext<T>(answered: Iterator<T>): T {
  const { value, done } = answered.next();
  if (done) throw new AppError('INTERNAL_ERROR');
  return value;
}

/** @throws AppError `VALIDATION_ERROR` */
const checkEvaluation = (given: unknown): AccessQuestion =>
  checkInput(evaluationInput, given, () => 'VALIDATION_ERROR') as AccessQuestion;

/** Reads one question of several. @throws AppError `PAYLOAD_TOO_LARGE` when all of them are too large together */
function readEvaluation(
  given: unknown,
  defaults: JsonObject,
  sizes: Sizes,
): AccessQuestion | AppError {
  try {
    if (!isJsonObject(given))
      throw new AppError('VALIDATION_ERROR', 'An evaluation must be an object');
    const evaluation = checkEvaluation(applyDefaults(given, defaults));
    requireWithinLimits(evaluation, sizes);
    return evaluation;
  } catch (error) {
    if (error instanceof AppError && error.code === 'VALIDATION_ERROR') return error;
    throw error;
  }
}

/** Bytes of contexts by their content: a default one is measured once. */
type Sizes = Map<unknown, number>;
const TOTAL = Symbol('total');

/** @throws AppError `VALIDATION_ERROR`, `PAYLOAD_TOO_LARGE` */
function requireWithinLimits(evaluation: AccessQuestion, sizes: Sizes): void {
  const { context } = evaluation;
  const action = measureJson(toAction(evaluation));
  const asked = sizes.get(context) ?? (context ? measureJson(context) : 0);
  sizes.set(context, asked);
  const total = (sizes.get(TOTAL) ?? 0) + action + asked;
  sizes.set(TOTAL, total);
  if (total > TOTAL_BYTES)
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      `With their default values, all evaluations have at most ${TOTAL_BYTES} bytes`,
    );
  requireSize('subject, action and resource', action, actionBytes);
  requireSize('context', asked, contextBytes);
}

const measureJson = (value: JsonObject): number => Buffer.byteLength(JSON.stringify(value));

/** @throws AppError `VALIDATION_ERROR` */
function requireSize(what: string, found: number, most: number): void {
  if (found <= most) return;
  const text = `${what}: ${found} bytes of JSON, at most ${most}`;
  throw new AppError('VALIDATION_ERROR', text);
}

/** The same question in a request with the same id is one decision. */
function toQuestion(
  { key }: KeyContext,
  evaluation: AccessQuestion,
  { request, index }: { request: AuthzenRequest; index: number },
): AskedQuestion {
  const requestId = readRequestId(request);
  const decision = toDecision(evaluation, { agentId: key.agentId, requestId });
  return {
    asked: evaluation,
    decision,
    key: `access:${sha256Hex(canonicalize([requestId, index, decision]))}`,
  };
}

/** The id that the caller gave the request, else that of the server. */
function readRequestId({ headers, requestId }: AuthzenRequest): string {
  const given = headers['x-request-id'];
  const isUsable = typeof given === 'string' && given !== '' && given.length <= REQUEST_ID_MAX;
  return isUsable ? given : requestId;
}

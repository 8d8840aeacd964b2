// Reads the decisions of a batch one by one: what is wrong with one refuses that one alone.
import { type Json, type JsonObject, canonicalize, parseSafeJson, UnsafeJson } from '@assay/json';
import { AppError } from '../../../errors.ts';
import { checkInput } from '../../../platform/inputs/check-input.ts';
import type { InspectedBody } from '../ingestion/large-bodies.ts';
import type { IngestBody } from '../traces.schemas.ts';
import { askedDecision, batchedDecision } from './batch.schemas.ts';

interface ItemParts {
  idempotencyKey: string | undefined;
  rawBody: Buffer;
  sent: Json | undefined;
  body: IngestBody | InspectedBody | AppError;
  observed?: { tags: readonly string[] } | undefined;
}

/** One decision of a batch. */
export class BatchItem implements ItemParts {
  /** Its own idempotency key; undefined: its content is the key. */
  readonly idempotencyKey: string | undefined;
  /** Its canonical text without its key: what is committed to as submitted. Empty if it is no safe JSON. */
  readonly rawBody: Buffer;
  /** As much of it as identifies its agent; undefined if it is no safe JSON. */
  readonly sent: Json | undefined;
  /** The parsed decision, or why it is refused. */
  readonly body: IngestBody | InspectedBody | AppError;
  /** Set for what was done before it was reported. */
  readonly observed: { tags: readonly string[] } | undefined;

  constructor({ idempotencyKey, rawBody, sent, body, observed }: ItemParts) {
    this.idempotencyKey = idempotencyKey;
    this.rawBody = rawBody;
    this.sent = sent;
    this.body = body;
    this.observed = observed;
  }
}

/** A decision after the fact, as canonical text, with its key. */
export interface ObservedDecision {
  text: string;
  key: string;
  tags: readonly string[];
}

/** Reads a decision after the fact, as strictly as any other. @throws UnsafeJson */
export function readObserved({ text, key, tags }: ObservedDecision): BatchItem {
  const sent = parseSafeJson(text);
  const rawBody = Buffer.from(text);
  const body = checkItem(sent);
  return new BatchItem({ idempotencyKey: key, rawBody, sent, body, observed: { tags } });
}

/** Reads a question that came in another protocol. */
export function readQuestion(sent: JsonObject, key: string): BatchItem {
  const rawBody = Buffer.from(canonicalize(sent));
  const body = checkItem(sent, askedDecision);
  return new BatchItem({ idempotencyKey: key, rawBody, sent, body });
}

/** Reads an item of the list, without the limits of its schema version. */
export function readItem(document: unknown): BatchItem {
  const idempotencyKey = readOwnKey(document);
  if (document instanceof UnsafeJson) {
    const body = new AppError(
      'SVC_VALIDATION_FAILED',
      `${document.path || '/'}: ${document.reason}`,
    );
    return new BatchItem({ idempotencyKey, rawBody: Buffer.alloc(0), sent: undefined, body });
  }
  const sent = omitOwnKey(document as Json);
  const rawBody = Buffer.from(canonicalize(sent));
  return new BatchItem({ idempotencyKey, rawBody, sent, body: checkItem(document) });
}

function checkItem(
  document: unknown,
  schema: typeof batchedDecision | typeof askedDecision = batchedDecision,
): IngestBody | AppError {
  try {
    const { idempotencyKey: _own, ...body } = checkInput(
      schema,
      document,
      () => 'SVC_VALIDATION_FAILED',
    );
    return body;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** The key of a decision that may be refused for something else; undefined if it has none that is valid. */
function readOwnKey(document: unknown): string | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const { idempotencyKey } = batchedDecision.shape;
  const parsed = idempotencyKey.safeParse(
    (document as { idempotencyKey?: unknown }).idempotencyKey,
  );
  return parsed.success ? parsed.data : undefined;
}

function omitOwnKey(document: Json): Json {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return document;
  const { idempotencyKey: _own, ...content } = document;
  return content;
}

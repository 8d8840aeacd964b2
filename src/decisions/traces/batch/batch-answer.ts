// The answer to one decision of a batch: what it would have got alone, as one object.
import { AppError } from '../../../errors.ts';
import type { IngestResult } from '../ingestion/repeated-requests.service.ts';
import type { BatchAnswer } from './batch.schemas.ts';

export function toBatchAnswer(outcome: IngestResult | AppError): BatchAnswer {
  if (outcome instanceof AppError) return describeRefusal(outcome);
  const { answer, isReplay } = outcome;
  const replayed = isReplay && { replayed: true as const };
  if (answer.status !== 'blocked')
    return {
      status: answer.status === 'approved' ? 201 : 202,
      success: true,
      data: answer,
      ...replayed,
    };
  const refusal = new AppError('SVC_BLOCKED_BY_POLICY', answer.matchedPolicy?.reason);
  return { ...describeRefusal(refusal), data: answer, ...replayed };
}

function describeRefusal({ http, message, code, data, headers }: AppError): BatchAnswer {
  const retryAfter = Number(headers['Retry-After'] ?? (http === 503 ? 1 : NaN));
  return {
    status: http,
    success: false,
    error: message,
    code,
    ...(data !== undefined && { data: data as Record<string, unknown> }),
    ...(Number.isInteger(retryAfter) && { retryAfter }),
  };
}

// Chooses how a route answers failures: in the envelope of its kind.
import type { Response } from 'express';
import type { AppError } from '../../errors.ts';
import type { Route } from '../declaration/define-route.ts';
import { sendAccessFailure } from './access-envelope.ts';
import { sendFailure } from './envelope.ts';
import { sendExportFailure } from './otlp-envelope.ts';
import { sendProblem } from './problem-envelope.ts';
import { sendScimFailure } from './scim-envelope.ts';

export function findFailureSender(kind: Route['kind']): (res: Response, error: AppError) => void {
  if (kind === 'scim') return sendScimFailure;
  if (kind === 'access') return sendAccessFailure;
  if (kind === 'task') return sendProblem;
  return kind === 'otlp' ? sendExportFailure : sendFailure;
}

// What ends a request whose caller left before its work began.
import { AppError } from '../../errors.ts';

/** Nobody waits for the answer, so none is sent, and nothing went wrong. */
export class AbandonedError extends AppError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'The caller has left');
  }
}

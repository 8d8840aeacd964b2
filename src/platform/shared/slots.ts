// Slots of all workers: permits of a class that its name identifies, for an organisation, a user or a network.
import { AppError } from '../../errors.ts';
import {
  Admission,
  type AdmissionClass,
  type Release,
  requirePermit,
} from '../concurrency/admission.ts';

/** Requests of one namespace MUST differ in `key` and `waitMs` alone. */
export interface SlotRequest extends AdmissionClass {
  namespace: string;
  key: string;
}

/** Null: no slot is left, or becomes free while the request waits. */
export type AcquireSlot = (request: SlotRequest) => Release | null | Promise<Release | null>;

/** Callers of one key that wait at a time, where the request bounds no waiting. */
const WAITING_MAX = 64;

export class KeySlots {
  readonly #admissions = new Map<string, Admission>();

  acquire({ namespace, key, waitMs, ...limits }: SlotRequest): ReturnType<AcquireSlot> {
    let admission = this.#admissions.get(namespace);
    if (!admission) {
      admission = new Admission({ maxWaitingOfKey: limits.maxWaiting ?? WAITING_MAX, ...limits });
      this.#admissions.set(namespace, admission);
    }
    return admission.acquire(key, waitMs);
  }
}

/** @throws AppError `RATE_LIMIT_EXCEEDED` with this text when there is no slot */
export const requireSlot = (
  acquireSlot: AcquireSlot,
  request: SlotRequest & { limit: number },
  text: string,
): Promise<Release> =>
  requirePermit(
    acquireSlot(request),
    () =>
      new AppError('RATE_LIMIT_EXCEEDED', text, {
        data: { limit: request.limit, windowSeconds: 1 },
        headers: { 'Retry-After': '1' },
      }),
  );

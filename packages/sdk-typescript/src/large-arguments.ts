// What is large in an action: what shortens it is loaded only where an action is too large for the service.
import { hashText } from './digest.ts';
import { canonicalize, type Json } from './json.ts';

/** The service's limit for `outputDecision.action`, in bytes of JSON. */
const ACTION_BYTES_MAX = 10_240;

export const countBytes = (value: Json): number =>
  new TextEncoder().encode(JSON.stringify(value)).length;

/** Returns the action as it is posted; the digests in it bind what they stand for. An action that fits is returned as it is. */
export async function shortenAction<A extends Json>(action: A): Promise<A> {
  if (countBytes(action) <= ACTION_BYTES_MAX) return action;
  const { replaceParts } = await import('./shortened-action.ts');
  return replaceParts(action, ACTION_BYTES_MAX, { canonicalize, hashText });
}

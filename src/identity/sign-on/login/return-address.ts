// Checks the return address of a browser against the redirect allow-list.
import {
  resolveRedirect,
  type RedirectAllowList,
} from '../../../domain/identity/redirect-allow-list.ts';
import { AppError } from '../../../errors.ts';

/** Returns the wanted address, or the default. @throws AppError `VALIDATION_ERROR` for one that is not on the list */
export function resolveReturnAddress(
  allowed: RedirectAllowList,
  wanted: string | undefined,
): string {
  const address = resolveRedirect(allowed, wanted);
  if (address === null)
    throw new AppError('VALIDATION_ERROR', 'returnTo: not on the redirect allow-list');
  return address;
}

// Checks the return address of a browser against the redirect allow-list.
import {
  allowedRedirect,
  type RedirectAllowList,
} from '../../../domain/identity/redirect-allow-list.ts';
import { AppError } from '../../../errors.ts';

/** Returns the wanted address, or the default. @throws AppError `VALIDATION_ERROR` for one that is not on the list */
export function returnAddress(allowed: RedirectAllowList, wanted: string | undefined): string {
  const address = allowedRedirect(allowed, wanted);
  if (address === null)
    throw new AppError('VALIDATION_ERROR', 'returnTo: not on the redirect allow-list');
  return address;
}

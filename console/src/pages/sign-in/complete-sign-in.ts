// What follows a sign-in: keep the session in the cookie, and go where the person wanted to go.
import { keepSession } from '../../session/session.ts';

/** Only an address of the console itself: any link could name another. */
export function toOwnPath(next: string | undefined): string {
  const path = next?.startsWith('/console') ? next.slice('/console'.length) : next;
  const isOwn = path !== undefined && /^\/(?![/\\])/.test(path) && !path.startsWith('/sign-in');
  return `/console${isOwn ? path : '/'}`;
}

export async function completeSignIn(token: string, next: string | undefined): Promise<void> {
  await keepSession(token);
  // A new document: nothing of a former session is left in memory.
  location.assign(toOwnPath(next));
}

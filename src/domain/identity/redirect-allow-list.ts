// The allow-list of redirect URLs after a login.

/** The page that reports the result of a sign-on when no front end is configured. */
export const SIGNED_ON_PATH = '/signed-on';
/** The page of the console that fetches the session of a sign-on. */
export const CONSOLE_SIGNED_ON_PATH = '/console/signed-on';

/** The default comes first. */
export type RedirectAllowList = readonly [string, ...string[]];

/**
 * The URL to redirect to: `wanted` when its origin and path match an allowed URL (the query may differ); the default
 * when `wanted` is undefined; null when it is not allowed.
 */
export function resolveRedirect(
  allowed: RedirectAllowList,
  wanted: string | undefined,
): string | null {
  if (wanted === undefined) return allowed[0];
  const url = parseRedirect(wanted);
  return url !== null && allowed.some((address) => parseRedirect(address)?.target === url.target)
    ? url.href
    : null;
}

/** A URL with these query parameters set. */
export function withQuery(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Origin and path of an absolute http(s) URL without credentials, and the URL without its fragment. */
function parseRedirect(address: string): { target: string; href: string } | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  url.hash = '';
  return { target: url.origin + url.pathname, href: url.href };
}

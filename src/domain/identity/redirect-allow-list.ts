// Where a browser may go after a sign-on: only to addresses that the installation allows.

/** The default comes first. */
export type RedirectAllowList = readonly [string, ...string[]];

/**
 * The address to return to: `wanted` when it has the origin and path of an allowed one, whatever its query; the default when
 * nothing is wanted; null when it is not allowed.
 */
export function allowedRedirect(
  allowed: RedirectAllowList,
  wanted: string | undefined,
): string | null {
  if (wanted === undefined) return allowed[0];
  const url = placeOf(wanted);
  return url !== null && allowed.some((address) => placeOf(address)?.place === url.place)
    ? url.href
    : null;
}

/** An address with further members of its query. */
export function withQuery(address: string, members: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(members)) url.searchParams.set(name, value);
  return url.href;
}

function placeOf(address: string): { place: string; href: string } | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  url.hash = '';
  return { place: url.origin + url.pathname, href: url.href };
}

// Builds the callback URL of a browser, with the parameters of the provider's response.

/** Absent parameters are left out. */
export function toCallbackUrl(
  redirectUri: string,
  query: Readonly<Record<string, string | undefined>>,
): URL {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

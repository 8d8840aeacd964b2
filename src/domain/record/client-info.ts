// The caller's SDK according to its User-Agent (document 2, DecisionTrace `clientInfo`).

/** Type alias, so that it is JSON to the type checker. */
export type ClientInfo = {
  sdk: string | null;
  sdkVersion: string | null;
  runtime: string | null;
  os: string | null;
};

const PRODUCT = /^([A-Za-z][\w.-]{0,60})\/([\w.+-]{1,40})/;
const COMMENT = /\(([^()]{0,200})\)/;
const SYSTEM =
  /(?:linux|darwin|mac ?os(?: x)?|windows(?: nt)?|win32|android|ios|freebsd)(?:[ /-][\d._]{1,12})?/i;
const RUNTIME =
  /\b(node|deno|bun|python|cpython|go|java|ruby|php|dotnet|rustc?)[ /]v?([\w.+-]{1,20})/i;

/** Parses `name/version (runtime/version; os)` and similar texts; null when nothing is recognised. */
export function parseClientInfo(userAgent: string | null): ClientInfo | null {
  const text = userAgent?.slice(0, 500) ?? '';
  const product = PRODUCT.exec(text);
  const rest = product ? text.slice(product[0].length) : text;
  const runtime = RUNTIME.exec(rest)?.[0] ?? null;
  const os = SYSTEM.exec(COMMENT.exec(rest)?.[1] ?? rest)?.[0] ?? null;
  if (!product && runtime === null && os === null) return null;
  return { sdk: product?.[1] ?? null, sdkVersion: product?.[2] ?? null, runtime, os };
}

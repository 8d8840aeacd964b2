// Serves the console: its pages under a strict policy, its hashed files for good, and a waiting page until it is built.
import compression from 'compression';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { type ConsoleFiles, createConsoleReader } from './console-files.ts';

export const CONSOLE_PATH = '/console';

/** Pages of the console that links in mails lead to; the fragment with the token survives the redirect. */
const MAILED_PAGES = {
  'accept-invite': 'accept-invite',
  'complete-signup': 'complete-signup',
  'magic-link': 'magic-link',
  'reset-password': 'reset-password',
  // The console asks there, as on every page, until the organisation is kept.
  'keep-organization': 'settings/organization',
} as const;
/** Stands in the built page for the nonce of the response. */
const NONCE_MARK = 'NONCE_OF_THE_RESPONSE';

const createPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The page that verifies offline is one file, which may connect to nothing. */
const createVerifierPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'img-src data:',
    'worker-src blob:',
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const WAITING_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Assay</title>
<h1>The console is being built</h1>
<p>After <code>npm start</code> this takes a few seconds, once; this page then shows it. Elsewhere, <code>npm run build</code> builds it.</p>
<p>The API answers already: see the <a href="/docs">API reference</a>.</p>
</html>
`;
const WAIT_SECONDS = '1';

/** @param generateNonce returns text that no one can guess, for one response */
export function serveConsole(folder: string, generateNonce: () => string): Router {
  const router = Router();
  const readFiles = createConsoleReader(folder);
  router.get('/', leadToConsole);
  for (const [mailed, page] of Object.entries(MAILED_PAGES))
    router.get(`/${mailed}`, (_req, res) => res.redirect(302, `${CONSOLE_PATH}/${page}`));
  router.get(`${CONSOLE_PATH}/assets/:name`, (req, res, next) =>
    sendAsset(readFiles(), req, res) ? undefined : next(),
  );
  router.get([CONSOLE_PATH, `${CONSOLE_PATH}/*path`], (req, res, next) => {
    if (req.path.startsWith(`${CONSOLE_PATH}/assets/`)) return next();
    const nonce = generateNonce();
    sendPage(readFiles()?.pages.get('index.html'), res, { nonce, policy: createPolicy(nonce) });
  });
  // It is one file of a megabyte, and a quarter of that compressed.
  router.get('/verify', compression({ threshold: 1024 }), (_req, res) =>
    sendVerifier(readFiles(), res, generateNonce()),
  );
  return router;
}

function sendVerifier(files: ConsoleFiles | null, res: Response, nonce: string): void {
  const policy = createVerifierPolicy(nonce);
  sendPage(files?.pages.get('verify.html'), res, { nonce, policy });
}

/** Leads browsers to the console; other callers get what they got before. */
const leadToConsole: RequestHandler = (req, res, next) =>
  req.accepts(['json', 'html']) === 'html' ? res.redirect(302, CONSOLE_PATH) : next();

function sendPage(
  page: string | undefined,
  res: Response,
  { nonce, policy }: { nonce: string; policy: string },
): void {
  res.setHeader('Content-Security-Policy', policy).type('html');
  if (page !== undefined) return void res.send(page.replaceAll(NONCE_MARK, nonce));
  res.status(503).setHeader('Refresh', WAIT_SECONDS);
  res.setHeader('Retry-After', WAIT_SECONDS).send(WAITING_PAGE);
}

/** Sends a file in the best encoding that both sides know; false when there is none of this name. */
function sendAsset(files: ConsoleFiles | null, req: Request, res: Response): boolean {
  const file = files?.assets.get(String(req.params.name));
  if (!file) return false;
  const encoding = req.acceptsEncodings([...file.encoded.keys()]);
  const encoded = encoding === false ? undefined : file.encoded.get(encoding as 'br');
  res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  res.setHeader('Content-Type', file.type).vary('Accept-Encoding');
  if (encoded && encoding !== false) res.setHeader('Content-Encoding', encoding);
  res.end(encoded ?? file.bytes);
  return true;
}

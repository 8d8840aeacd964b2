// Serves the API reference: the OpenAPI document, and a page that renders it from local assets.
import type { ServerResponse } from 'node:http';
import express, { Router } from 'express';
// This import avoids the bundle itself, which the package's index loads.
import absolutePath from 'swagger-ui-dist/absolute-path.js';
import { generateOpenApi } from './openapi.ts';
import { SCHEMA_VERSIONS } from '../../domain/record/schema-versions.ts';
import { LEGACY_SUNSET, type Mount } from '../router.ts';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Assay API reference</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<div id="reference"></div>
<h2 id="migration">From unversioned paths</h2>
<p>Replace <code>/api/&lt;resource&gt;</code> by <code>/api/v1/&lt;resource&gt;</code>: requests and responses are the same.
Responses of unversioned paths carry <code>Deprecation</code> and <code>Sunset</code>; after ${LEGACY_SUNSET} they answer 410.</p>
<h2 id="schema-versions">From one schema version to the next</h2>
<p><code>X-Service-Version</code> selects the wire contract of a decision; the default is the latest. Versions:
${SCHEMA_VERSIONS.map(({ version, sunset }) => `<code>${version}</code>${sunset === null ? '' : ` (until ${sunset})`}`).join(', ')}.
A deprecated version is announced by the same headers at least 90 days before it answers 410.</p>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`;
const START =
  "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null });\n";

/** No inline scripts, no other hosts. Swagger UI needs inline style attributes. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const setCacheHeader = (res: ServerResponse): void =>
  void res.setHeader('Cache-Control', 'public, max-age=86400');

/** Cached per process: generating the document takes as long as the rest of a start. */
const documents = new WeakMap<readonly Mount[], string>();

/** Returns the API document. The first call takes a third of a second: a server makes it before it listens. */
export function getApiDocument(mounts: readonly Mount[]): string {
  const made = documents.get(mounts) ?? JSON.stringify(generateOpenApi(mounts));
  documents.set(mounts, made);
  return made;
}

export function serveApiReference(mounts: readonly Mount[]): Router {
  const router = Router();
  router.get('/openapi.json', (_req, res) => void res.type('json').send(getApiDocument(mounts)));
  router.get(
    '/docs',
    (_req, res) => void res.setHeader('Content-Security-Policy', POLICY).type('html').send(PAGE),
  );
  router.get('/docs/start.js', (_req, res) => void res.type('js').send(START));
  router.use(
    '/docs/assets',
    express.static(absolutePath(), { index: false, setHeaders: setCacheHeader }),
  );
  return router;
}

// The API reference: the OpenAPI document and a page that shows it with local assets only.
import express, { Router } from 'express';
import { absolutePath } from 'swagger-ui-dist';
import { openapi } from './openapi.ts';
import { SCHEMA_VERSIONS } from '../../domain/record/schema-versions.ts';
import { LEGACY_SUNSET, type Mount } from '../router.ts';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Assay API reference</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<div id="reference"></div>
<h2 id="migration">From unversioned addresses</h2>
<p>Replace <code>/api/&lt;resource&gt;</code> by <code>/api/v1/&lt;resource&gt;</code>: requests and answers are the same.
The unversioned addresses carry <code>Deprecation</code> and <code>Sunset</code> and answer 410 after ${LEGACY_SUNSET}.</p>
<h2 id="schema-versions">From one schema version to the next</h2>
<p><code>X-Service-Version</code> names the wire contract of a decision; without it the latest applies. Registered:
${SCHEMA_VERSIONS.map(({ version, sunset }) => `<code>${version}</code>${sunset === null ? '' : ` (until ${sunset})`}`).join(', ')}.
A deprecated version is announced at least 90 days ahead by the same two headers and answers 410 after its last day.</p>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`;
const START =
  "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null });\n";

/** The page runs nothing inline and asks nobody else; swagger-ui sets style attributes, and nothing but attributes. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

export function apiReference(mounts: readonly Mount[]): Router {
  const document = JSON.stringify(openapi(mounts));
  const router = Router();
  router.get('/openapi.json', (_req, res) => void res.type('json').send(document));
  router.get(
    '/docs',
    (_req, res) => void res.setHeader('Content-Security-Policy', POLICY).type('html').send(PAGE),
  );
  router.get('/docs/start.js', (_req, res) => void res.type('js').send(START));
  router.use('/docs/assets', express.static(absolutePath(), { index: false, maxAge: '1d' }));
  return router;
}

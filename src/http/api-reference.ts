// The API reference: the OpenAPI document and a page that shows it with local assets only.
import express, { Router } from 'express';
import { absolutePath } from 'swagger-ui-dist';
import { openapi } from './openapi.ts';
import type { Mount } from './router.ts';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Assay API reference</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<div id="reference"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`;
const START =
  "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null });\n";

/** The page runs nothing inline and asks nobody else; swagger-ui sets style attributes. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

export function apiReference(mounts: readonly Mount[]): Router {
  const document = JSON.stringify(openapi(mounts));
  const router = Router();
  router.get('/openapi.json', (_req, res) => void res.type('json').send(document));
  router.get('/docs', (_req, res) => void res.setHeader('Content-Security-Policy', POLICY).type('html').send(PAGE));
  router.get('/docs/start.js', (_req, res) => void res.type('js').send(START));
  router.use('/docs/assets', express.static(absolutePath(), { index: false, maxAge: '1d' }));
  return router;
}

// The build of the console: hashed files below /console/assets, and a development server in front of a running API.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const api = { target: process.env['ASSAY_API'] ?? 'http://127.0.0.1:3000' };
/** The verifier asks one module of its own for what Node.js has; browsers get another one. */
const primitives = {
  find: /^\.{1,2}\/(system\/)?primitives\.ts$/,
  replacement: fileURLToPath(new URL('verifier/primitives.ts', import.meta.url)),
};

/** A dozen files for a first visit instead of fifty: the frame, what most pages share, and what some share. */
const CHUNKS = [
  { name: 'base', tags: ['$initial' as const], priority: 2 },
  { name: 'common', test: /node_modules|console\/src/, minShareCount: 12, priority: 1 },
  {
    name: 'shared',
    // Charts bring a library with them that is larger than all pages.
    test: /@mantine\/(?!charts)|console\/src\/(?!parts\/charts)/,
    minShareCount: 2,
    entriesAware: true,
    entriesAwareMergeThreshold: 4_000,
  },
];

/** What both pages have in their heads. */
const head = {
  name: 'assay:head',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) =>
      html.replace('<!-- head -->', readFileSync(new URL('head.html', import.meta.url), 'utf8')),
  },
} satisfies Plugin;

export default defineConfig({
  base: '/console/',
  plugins: [head, react()],
  resolve: { alias: [primitives] },
  // The built thread has a default export, its constructor.
  worker: { format: 'iife' },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What each page loads first, for the test of its size.
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: CHUNKS },
        // What pages share would have the names of them all.
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
      },
    },
  },
  server: { proxy: { '/api': api, '/console/session': api, '/openapi.json': api, '/docs': api } },
});

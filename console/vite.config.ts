// The build of the console: hashed files below /console/assets, and a development server in front of a running API.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const api = { target: process.env['ASSAY_API'] ?? 'http://127.0.0.1:3000' };

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: { target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { '/api': api, '/console/session': api, '/openapi.json': api, '/docs': api } },
});

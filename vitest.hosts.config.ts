// The hooks in the coding agents that run them: `npm run test:hosts`. It needs a package registry, once.
import { defineConfig } from 'vitest/config';
import integrations from './vitest.integrations.config.ts';

const { test, plugins } = integrations;

export default defineConfig({
  ...(plugins && { plugins }),
  test: {
    ...test,
    include: ['integrations/hosts.test.ts'],
    globalSetup: [...[test?.globalSetup ?? []].flat(), 'integrations/setup/installed-hosts.ts'],
  },
});

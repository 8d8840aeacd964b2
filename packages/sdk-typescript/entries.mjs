// The modules that the package exports, and how they are bundled.
export const ADAPTERS = ['ai', 'openai-agents', 'langchain', 'mastra', 'claude', 'mcp'];
export const ENTRIES = {
  index: 'src/index.ts',
  halts: 'src/halts.ts',
  identity: 'src/identity.ts',
  journal: 'src/journal.ts',
  origins: 'src/origins.ts',
  webhooks: 'src/webhooks.ts',
  verify: 'src/verify.ts',
  ...Object.fromEntries(ADAPTERS.map((name) => [name, `src/adapters/${name}.ts`])),
};

/** Modules share the parts that they have in common. @type {import('esbuild').BuildOptions} */
export const OPTIONS = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'neutral',
  external: ['node:*'],
  target: 'es2023',
  logLevel: 'warning',
};

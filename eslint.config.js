// The short list of rules the compiler cannot check: promises, suppressions with reasons, packed literals; test/contract/sources has the ceilings.
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', 'data', 'docs', 'node_modules', 'coverage', '**/*.mjs', 'eslint.config.js'] },
  ...tseslint.configs.recommended,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/ban-ts-comment': [
        'error',
        { 'ts-expect-error': 'allow-with-description', minimumDescriptionLength: 8 },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'Use a union of literals.' },
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
        {
          selector: 'ObjectExpression > SpreadElement > ObjectExpression',
          message: 'Write the members out: a spread of an object literal only packs lines.',
        },
      ],
      'no-nested-ternary': 'error',
      'max-lines': ['error', { max: 400 }],
    },
  },
  { files: ['test/**', 'bench/**', 'scripts/**'], rules: { 'max-lines': ['error', { max: 650 }] } },
  { files: ['vitest*.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
);

// The short list of rules the compiler cannot check: promises, suppressions with reasons, and the size ceilings.
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
      ],
      'max-lines': ['error', { max: 350 }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 3],
      '@typescript-eslint/max-params': 'off',
    },
  },
  {
    files: ['test/**', 'bench/**', 'scripts/**'],
    rules: { 'max-lines-per-function': 'off', 'max-lines': ['error', { max: 500 }] },
  },
  // A factory is the scope of what it returns, as a class body is; its inner functions are held to the ceiling by test/contract/sources/sizes.test.ts.
  {
    files: ['src/**/*.service.ts', 'src/composition/services.ts', 'src/instance.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  { files: ['vitest*.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
);

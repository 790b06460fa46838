import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

const sources = ['apps/**/*.ts', 'libs/**/*.ts', 'test/**/*.ts', 'examples/**/*.ts'];
const specs = [
  '**/*.spec.ts',
  '**/*.e2e-spec.ts',
  '**/*.contract.ts',
  'test/**/*.ts',
  'libs/testing/**/*.ts',
];

/** @type {import('eslint').Linter.Config[]} */
export default [
  { ignores: ['**/dist/', '**/node_modules/', '**/coverage/', 'data/', 'bench/results/'] },
  ...tseslint.config({
    files: sources,
    extends: [
      eslint.configs.recommended,
      ...tseslint.configs.strictTypeChecked,
      ...tseslint.configs.stylisticTypeChecked,
    ],
    languageOptions: {
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'max-lines': ['error', { max: 400, skipComments: true, skipBlankLines: true }],
      'max-lines-per-function': ['error', { max: 70, skipComments: true, skipBlankLines: true }],
      eqeqeq: 'error',
      // A Nest module is a class without members.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // `?.` and `??` on what the types say cannot be missing is how data from outside is read safely.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // 'start' | 'end' | string says more than string.
      '@typescript-eslint/no-redundant-type-constituents': 'off',
      // Several wires and the store are typed by functions that are async by contract.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unified-signatures': 'off',
      '@typescript-eslint/no-non-null-assertion': 'error',
    },
  }),
  {
    // Nest resolves constructor parameters by their emitted class: a type-only import would erase it.
    files: ['apps/**/*.ts', '**/*.module.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    files: specs,
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: ['it', 'test', 'describe'] },
      ],
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    ...eslint.configs.recommended,
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        URL: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        TextDecoder: 'readonly',
        TextEncoder: 'readonly',
        Buffer: 'readonly',
        performance: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        setImmediate: 'readonly',
        structuredClone: 'readonly',
        crypto: 'readonly',
        module: 'writable',
        require: 'readonly',
      },
    },
  },
];

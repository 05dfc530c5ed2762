import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const MOST_FILES = 20;

/** A folder has few enough files to read their names. */
const folders = {
  rules: {
    'of-a-size': {
      create: (context) => ({
        Program(node) {
          const folder = dirname(context.filename);
          const files = readdirSync(folder).filter((name) => name.endsWith('.ts')).length;
          if (files > MOST_FILES) {
            context.report({ node, message: `${files} files in a folder, ${MOST_FILES} at most.` });
          }
        },
      }),
    },
  },
};

const inOneStyle = [
  { selector: 'ExportDefaultDeclaration', message: 'One name everywhere: use a named export.' },
  { selector: 'ExportAllDeclaration', message: 'No barrel files.' },
];

const STREAM = "[typeName.name='StreamName']";

/** Not in the kernel, whose events are of no resource. */
const eventsApart = [
  {
    selector: "TSTypeReference[typeName.name='Event'] > TSTypeParameterInstantiation > TSLiteralType",
    message: 'Events are declared in a file x-events.ts.',
  },
  {
    selector: `:matches(ExportNamedDeclaration > VariableDeclaration > VariableDeclarator > Identifier, ExportNamedDeclaration > VariableDeclaration > VariableDeclarator > ArrowFunctionExpression) > TSTypeAnnotation > TSTypeReference${STREAM}`,
    message: 'Streams get their names in a file x-events.ts.',
  },
];

const portsApart = [
  {
    selector: 'ExportNamedDeclaration > :matches(TSInterfaceDeclaration, TSTypeAliasDeclaration)[id.name=/Ports$/]',
    message: 'What commands work with is declared in ports.ts.',
  },
];

const schemasApart = [
  {
    selector: ":matches(Property[key.name='type'][value.value='object'], CallExpression[callee.name='pageQuery'])",
    message: 'What a route takes is described in schemas.ts.',
  },
];

const looseFile = { selector: 'Program', message: 'Every file has a folder that says what it is for.' };

export default defineConfig(
  {
    ignores: [
      'dist/',
      'coverage/',
      'data/',
      '.ci/cache/',
      '*.cjs',
      'eslint.config.js',
      'bundle.js',
      'src/artifacts/tql/generated/',
      'src/composition/generated/',
      'test/clients/typescript/',
    ],
  },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { projectService: true } } },
  {
    rules: {
      'max-depth': ['error', 3],
      'max-lines': ['error', { max: 200, skipComments: true, skipBlankLines: true }],
      'max-lines-per-function': ['error', { max: 50, skipComments: true, skipBlankLines: true }],
      complexity: ['error', 8],
      'no-restricted-syntax': ['error', ...inOneStyle],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    files: ['src/**', 'projections/**'],
    plugins: { folders },
    rules: { 'max-lines': ['error', { max: 200 }], 'folders/of-a-size': 'error' },
  },
  {
    files: ['src/**'],
    ignores: ['src/core/**', 'src/**/*-events.ts'],
    rules: { 'no-restricted-syntax': ['error', ...inOneStyle, ...eventsApart, ...portsApart] },
  },
  {
    files: ['src/**/ports.ts'],
    rules: { 'no-restricted-syntax': ['error', ...inOneStyle, ...eventsApart] },
  },
  {
    files: ['src/**/routes.ts', 'src/**/*-routes.ts', 'src/**/*-route.ts'],
    ignores: ['src/http/**'],
    rules: { 'no-restricted-syntax': ['error', ...inOneStyle, ...eventsApart, ...portsApart, ...schemasApart] },
  },
  {
    files: ['src/*'],
    ignores: ['src/main.ts'],
    rules: { 'no-restricted-syntax': ['error', looseFile] },
  },
  {
    files: ['test/**', 'bench/**'],
    rules: {
      'max-lines-per-function': 'off',
      'max-lines': ['error', { max: 300, skipComments: true, skipBlankLines: true }],
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Specs look into JSON answers by hand.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);

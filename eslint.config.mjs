import nx from '@nx/eslint-plugin';
import { defineConfig, globalIgnores } from 'eslint/config';
import { builtinModules } from 'node:module';
import tseslint from 'typescript-eslint';

/**
 * Who may import whom. Every layer names what it may see; what is not named is refused, and
 * `libs/testing/src/architecture.spec.ts` lints one forbidden import for each line below.
 */
const layers = [
  { sourceTag: 'layer:kernel', onlyDependOnLibsWithTags: [], bannedExternalImports: ['*'] },
  { sourceTag: 'layer:contracts', onlyDependOnLibsWithTags: ['layer:kernel'], allowedExternalImports: ['zod'] },
  {
    sourceTag: 'layer:domain',
    onlyDependOnLibsWithTags: ['layer:kernel', 'layer:contracts'],
    bannedExternalImports: ['*'],
  },
  {
    sourceTag: 'layer:views',
    onlyDependOnLibsWithTags: ['layer:kernel', 'layer:contracts'],
    bannedExternalImports: ['*'],
  },
  {
    sourceTag: 'layer:dialects',
    onlyDependOnLibsWithTags: ['layer:kernel', 'layer:contracts'],
    bannedExternalImports: ['*'],
  },
  {
    sourceTag: 'layer:ports',
    onlyDependOnLibsWithTags: ['layer:kernel', 'layer:contracts', 'layer:domain'],
    bannedExternalImports: ['*'],
  },
  {
    sourceTag: 'layer:sdk',
    onlyDependOnLibsWithTags: ['layer:kernel', 'layer:contracts', 'layer:ports'],
  },
  {
    sourceTag: 'layer:agents',
    onlyDependOnLibsWithTags: ['layer:kernel', 'layer:contracts', 'layer:ports', 'layer:sdk'],
  },
  {
    sourceTag: 'layer:application',
    onlyDependOnLibsWithTags: [
      'layer:kernel',
      'layer:contracts',
      'layer:domain',
      'layer:views',
      'layer:ports',
      'layer:sdk',
    ],
    bannedExternalImports: ['*'],
  },
  {
    sourceTag: 'layer:adapter',
    onlyDependOnLibsWithTags: [
      'layer:kernel',
      'layer:contracts',
      'layer:domain',
      'layer:views',
      'layer:ports',
      'layer:sdk',
    ],
  },
  {
    sourceTag: 'layer:kit',
    onlyDependOnLibsWithTags: ['layer:kernel', 'layer:contracts', 'layer:ports', 'layer:application', 'layer:adapter'],
  },
  {
    sourceTag: 'layer:service',
    onlyDependOnLibsWithTags: [
      'layer:kernel',
      'layer:contracts',
      'layer:domain',
      'layer:views',
      'layer:dialects',
      'layer:ports',
      'layer:sdk',
      'layer:agents',
      'layer:application',
      'layer:adapter',
      'layer:kit',
    ],
  },
  // What runs in browsers: nothing of a server gets in, and no package but what is named.
  {
    sourceTag: 'layer:client',
    onlyDependOnLibsWithTags: ['layer:contracts'],
    bannedExternalImports: ['*'],
  },
  {
    sourceTag: 'layer:react',
    onlyDependOnLibsWithTags: ['layer:client', 'layer:contracts'],
    allowedExternalImports: ['react'],
  },
  { sourceTag: 'layer:servers', onlyDependOnLibsWithTags: ['layer:kernel'] },
  {
    sourceTag: 'layer:tool',
    onlyDependOnLibsWithTags: [
      'layer:kernel',
      'layer:contracts',
      'layer:views',
      'layer:dialects',
      'layer:ports',
      'layer:sdk',
      'layer:agents',
      'layer:application',
      'layer:adapter',
      'layer:servers',
      'layer:client',
      'layer:react',
    ],
  },
  {
    sourceTag: 'layer:testing',
    onlyDependOnLibsWithTags: [
      'layer:kernel',
      'layer:contracts',
      'layer:domain',
      'layer:views',
      'layer:ports',
      'layer:sdk',
      'layer:application',
      'layer:adapter',
      'layer:servers',
    ],
  },
  // One home for each vendor: whoever needs one goes through its adapter.
  {
    sourceTag: 'vendor:none',
    bannedExternalImports: ['@nats-io/*', '@mikro-orm/*', 'kysely', '@nestjs/*', '@langchain/*'],
  },
  { sourceTag: 'vendor:nats', bannedExternalImports: ['@mikro-orm/*', 'kysely', '@nestjs/*', '@langchain/*'] },
  { sourceTag: 'vendor:mikro-orm', bannedExternalImports: ['@nats-io/*', '@nestjs/*', '@langchain/*'] },
  { sourceTag: 'vendor:langchain', bannedExternalImports: ['@nats-io/*', '@mikro-orm/*', 'kysely', '@nestjs/*'] },
  { sourceTag: 'vendor:nest', bannedExternalImports: ['@nats-io/*', '@mikro-orm/*', 'kysely', '@langchain/*'] },
];

export default defineConfig([
  globalIgnores(['**/dist/**', '**/.nx/**', '**/.cache/**', '**/*.mjs']),
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/consistent-type-imports': 'off', // verbatimModuleSyntax does it, and knows about DI
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  {
    files: ['{libs,services,deploy}/**/src/**/*.{ts,tsx}'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          enforceBuildableLibDependency: true,
          // What a package does not export, or no package.json names, resolves to nothing, and would pass unseen.
          banTransitiveDependencies: true,
          // A spec may use the test kit whatever its layer: the kit never reaches a build (tsconfig.build.json).
          allow: [
            '@jest/globals',
            'fast-check',
            '@testing-library/react',
            '@millrace/testing',
            '@millrace/testing/browsers',
            '@millrace/testing/servers',
            '@millrace/testing/services',
            '@millrace/testing/simulation',
            '@millrace/testing/suites',
            '@millrace/adapter-memory',
          ],
          depConstraints: layers,
        },
      ],
    },
  },
  {
    // The test kit is for specs only.
    files: ['{libs,services,deploy}/**/src/**/*.ts'],
    ignores: ['**/*spec.ts', 'libs/testing/**', '**/*.bench.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            '@millrace/testing',
            '@millrace/testing/*',
            '@millrace/adapter-memory',
            '@jest/globals',
            'fast-check',
          ],
        },
      ],
    },
  },
  {
    // Node's own modules are no packages, so the boundary rule does not see them: what is pure says so here.
    files: ['libs/{kernel,contracts,run-domain,ports,application,run-views,dialects,client,react}/src/**/*.ts'],
    ignores: ['**/*spec.ts'],
    rules: {
      'no-restricted-imports': ['error', { patterns: ['node:*'], paths: builtinModules }],
      // The rule above reads import declarations only.
      'no-restricted-syntax': [
        'error',
        { selector: 'ImportExpression', message: 'What is pure loads nothing while it runs.' },
        { selector: 'TSImportType[source.value=/^node:/]', message: 'What is pure knows nothing of Node.' },
      ],
    },
  },
]);

import { readFileSync } from 'node:fs';

const swc = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));

/**
 * `*.spec.ts` needs nothing, `*.int-spec.ts` starts real servers, `*.e2e-spec.ts` runs the composed system.
 * @type {import('jest').Config}
 */
export default {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@millrace/source', 'node', 'node-addons'] },
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/src/**/*.int-spec.ts', '<rootDir>/src/**/*.e2e-spec.ts'],
  testTimeout: 120_000,
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
};

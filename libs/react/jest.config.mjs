import preset from '../../jest.preset.mjs';

const { testEnvironmentOptions, ...rest } = preset;

/** In a DOM, but with Node's own fetch, streams and signals: jsdom has none of its own. */
export default {
  ...rest,
  testEnvironment: './dom-environment.mjs',
  testEnvironmentOptions: { ...testEnvironmentOptions, customExportConditions: ['@millrace/source', 'browser'] },
};

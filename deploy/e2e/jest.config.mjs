import preset from '../../jest.preset.mjs';

/** Real processes are started, killed and waited for: minutes, where the machine is busy. Waiting is most of it. */
export default { ...preset, testTimeout: 400_000, maxWorkers: 2 };

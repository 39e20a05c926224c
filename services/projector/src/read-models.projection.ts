import type { Projection } from './projection.js';

/** All read models together, so that one position tells how fresh every one of them is. It has no tables yet. */
export const readModels: Projection = {
  name: 'read-models',
  exclude: ['TokenDelta', 'ThoughtDelta'],
  apply: () => Promise.resolve(),
};

import { ProjectionPosition } from './entities/projection-position.entity.js';

/** Every table there is; a spec compares this list with what the migrations make. */
export const ENTITIES = [ProjectionPosition];

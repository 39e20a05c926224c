import { Logger } from '@nestjs/common';
import { countSetAside } from './counts.js';

interface Agents {
  /** What could not be loaded, and why. */
  readonly leftOut: readonly { readonly path: string; readonly message: string }[];
}

/** Says once what agents the process goes on without. */
export const tellLeftOut = <T extends Agents>(agents: T): T => {
  const log = new Logger('Agents');
  for (const error of agents.leftOut) {
    countSetAside('agents', error);
    log.error({ message: `${error.message}. The service runs without them, and their runs wait`, path: error.path });
  }
  return agents;
};

/** For the details of a service's readiness. */
export const agentsNotLoaded = ({ leftOut }: Agents): readonly string[] => leftOut.map(({ message }) => message);

import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Connections } from './connections.js';

/** A process that is told to end sends its streams elsewhere first: else it would wait for runs to end. */
@Injectable()
export class ConnectionsEnd implements BeforeApplicationShutdown {
  constructor(private readonly connections: Connections) {}

  beforeApplicationShutdown(): void {
    this.connections.closeAll();
  }
}

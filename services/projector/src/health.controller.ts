import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { ProjectionRunner } from './projection-runner.js';
import { NatsHealth } from './nats-health.js';

@Controller('health')
export class HealthController {
  constructor(
    private readonly runner: ProjectionRunner,
    private readonly nats: NatsHealth,
  ) {}

  @Get('live')
  live(): object {
    return { status: 'live' };
  }

  /** An instance that stands by is ready: it takes over by itself. */
  @Get('ready')
  ready(): object {
    const { role, position, outage } = this.runner;
    const nats = this.nats.isConnected ? 'connected' : 'lost';
    const isReady = nats === 'connected' && (role === 'active' || role === 'standby');
    const state = { status: isReady ? 'ready' : 'not ready', role, position, nats, because: outage };
    if (!isReady) throw new ServiceUnavailableException(state);
    return state;
  }
}

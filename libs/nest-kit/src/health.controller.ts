import { Controller, Get, ServiceUnavailableException } from '@nestjs/common';
import { Open } from './http/open.js';

/** What a service says of itself: whether it can do its work, and what it misses when it cannot. */
export abstract class Readiness {
  abstract state(): { readonly isReady: boolean } & Readonly<Record<string, unknown>>;
}

@Open()
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  live(): object {
    return { status: 'live' };
  }

  @Get('ready')
  ready(): object {
    const { isReady, ...details } = this.readiness.state();
    const state = { status: isReady ? 'ready' : 'not ready', ...details };
    if (!isReady) throw new ServiceUnavailableException(state);
    return state;
  }
}

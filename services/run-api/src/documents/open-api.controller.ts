import { openApi, type Whereabouts } from '@millrace/contracts';
import { Open } from '@millrace/nest-kit/http';
import { Controller, Get, Inject } from '@nestjs/common';
import { WHEREABOUTS } from './whereabouts.js';

@Open()
@Controller()
export class OpenApiController {
  readonly #document: object;

  constructor(@Inject(WHEREABOUTS) whereabouts: Whereabouts) {
    this.#document = openApi(whereabouts);
  }

  @Get('openapi.json')
  document(): object {
    return this.#document;
  }
}

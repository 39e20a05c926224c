import { Open } from '@millrace/nest-kit/http';
import { Controller, Get } from '@nestjs/common';
import { openApi } from './openapi.js';

@Open()
@Controller()
export class OpenApiController {
  readonly #document = openApi();

  @Get('openapi.json')
  document(): object {
    return this.#document;
  }
}

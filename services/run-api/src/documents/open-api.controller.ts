import { openApi } from '@millrace/contracts';
import { Open } from '@millrace/nest-kit/http';
import { Controller, Get } from '@nestjs/common';

@Open()
@Controller()
export class OpenApiController {
  readonly #document = openApi();

  @Get('openapi.json')
  document(): object {
    return this.#document;
  }
}

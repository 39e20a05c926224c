import type { Whereabouts } from '@millrace/contracts';
import { Open } from '@millrace/nest-kit/http';
import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { WHEREABOUTS } from './whereabouts.js';

const UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/**
 * Everything comes from here, so the page works without a network; Swagger UI writes styles into what it draws. It may call
 * what it describes, and nobody else.
 */
const pagePolicy = ({ streamUrl }: Whereabouts): string =>
  "default-src 'none';script-src 'self';style-src 'self' 'unsafe-inline';img-src 'self' data:;" +
  `connect-src 'self'${streamUrl === undefined ? '' : ` ${new URL(streamUrl).origin}`};` +
  "base-uri 'none';form-action 'none';frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Millrace API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="api"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#api',
  deepLinking: true,
  validatorUrl: null, // the document is shown to nobody else
});
`;

const SCRIPT = 'text/javascript; charset=utf-8';
const AN_HOUR = 'public, max-age=3600';

interface PageReply {
  header(name: string, value: string): unknown;
}

/** The routes to read and to try. */
@Open()
@Controller('docs')
export class DocsController {
  readonly #policy: string;

  constructor(@Inject(WHEREABOUTS) whereabouts: Whereabouts) {
    this.#policy = pagePolicy(whereabouts);
  }

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  page(@Res({ passthrough: true }) reply: PageReply): string {
    reply.header('content-security-policy', this.#policy);
    return PAGE;
  }

  @Get('start.js')
  @Header('content-type', SCRIPT)
  start(): string {
    return START;
  }

  @Get('swagger-ui-bundle.js')
  @Header('content-type', SCRIPT)
  @Header('cache-control', AN_HOUR)
  bundle(): Promise<Buffer> {
    return readFile(join(UI, 'swagger-ui-bundle.js'));
  }

  @Get('swagger-ui.css')
  @Header('content-type', 'text/css; charset=utf-8')
  @Header('cache-control', AN_HOUR)
  style(): Promise<Buffer> {
    return readFile(join(UI, 'swagger-ui.css'));
  }
}

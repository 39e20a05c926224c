import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';

/** One JSON object a line. What Nest says about its own start is of no use to operators, and goes to `debug`. */
export class PinoLogger implements LoggerService {
  readonly #pino;

  constructor(service: string, level: string) {
    this.#pino = pino({
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    });
  }

  log(message: unknown, context?: string): void {
    this.#write(context !== undefined && FRAMEWORK.has(context) ? 'debug' : 'info', message, context);
  }

  warn(message: unknown, context?: string): void {
    this.#write('warn', message, context);
  }

  /** Nest hands over (message, stack, context), or without a stack (message, context). */
  error(message: unknown, stackOrContext?: string, context?: string): void {
    if (context === undefined) this.#write('error', message, stackOrContext);
    else this.#write('error', message, context, stackOrContext);
  }

  fatal(message: unknown, context?: string): void {
    this.#write('fatal', message, context);
  }

  debug(message: unknown, context?: string): void {
    this.#write('debug', message, context);
  }

  #write(
    level: 'debug' | 'info' | 'warn' | 'error' | 'fatal',
    message: unknown,
    context?: string,
    stack?: string,
  ): void {
    const text = message instanceof Error ? message.message : String(message);
    this.#pino[level](
      { ...(context === undefined ? {} : { context }), ...(stack === undefined ? {} : { stack }) },
      text,
    );
  }
}

const FRAMEWORK = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

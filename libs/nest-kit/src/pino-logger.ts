import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, pino } from 'pino';

/**
 * One JSON object a line. What Nest says about its own start is of no use to operators, and goes to `debug`. A message
 * may be an object: its `message` is the text, and its other fields are those of the line.
 */
export class PinoLogger implements LoggerService {
  readonly #pino;

  constructor(service: string, level: string, to?: DestinationStream) {
    const options = {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label }) },
    };
    this.#pino = to ? pino(options, to) : pino(options);
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
    const { text, fields } = partsOf(message);
    const more = { ...(context === undefined ? {} : { context }), ...(stack === undefined ? {} : { stack }) };
    this.#pino[level]({ ...fields, ...more }, text);
  }
}

const partsOf = (message: unknown): { readonly text: string; readonly fields: object } => {
  if (message instanceof Error) return { text: message.message, fields: {} };
  if (typeof message !== 'object' || message === null || !('message' in message)) {
    return { text: String(message), fields: {} };
  }
  const { message: text, ...fields } = message;
  return { text: String(text), fields };
};

const FRAMEWORK = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

import { z } from 'zod';
import { countEnv } from '../service-env.js';
import { secretEnv } from './auth-env.js';

/** A ticket travels in an address, where logs and histories may keep it. */
const LONGEST_SECONDS = 600;

export const ticketEnv = {
  STREAM_TICKET_SECRET: secretEnv('is missing; run-api signs stream tickets with it and stream-gateway verifies them'),
  STREAM_TICKET_TTL_SECONDS: countEnv(60, LONGEST_SECONDS),
};

export interface TicketSettings {
  readonly secret: string;
  readonly ttlSeconds: number;
}

export const ticketConfig = (env: z.infer<z.ZodObject<typeof ticketEnv>>): TicketSettings => ({
  secret: env.STREAM_TICKET_SECRET,
  ttlSeconds: env.STREAM_TICKET_TTL_SECONDS,
});

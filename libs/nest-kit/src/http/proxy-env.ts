import { z } from 'zod';
import { listEnv } from '../service-env.js';

const Address = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** Whose word about an address counts. Nobody's by default: `X-Forwarded-For` is written by whoever likes to. */
export const proxyEnv = {
  TRUSTED_PROXIES: listEnv.refine(
    (proxies) => proxies.every((proxy) => Address.safeParse(proxy).success),
    'must be addresses or ranges like 10.0.0.7 or 10.0.0.0/8, separated by commas',
  ),
};

export const proxyConfig = (env: z.infer<z.ZodObject<typeof proxyEnv>>): readonly string[] => env.TRUSTED_PROXIES;

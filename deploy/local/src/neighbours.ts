import type { ServiceName } from '@millrace/contracts';
import type { PlacedService } from './services.js';

/**
 * What services have to know of each other because a page of the one calls the other: `/docs` of run-api lets people try
 * the streams, which another process answers, under another origin.
 */
export function neighboursOf(
  name: ServiceName,
  services: readonly Pick<PlacedService, 'name' | 'url'>[],
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const urlOf = (other: ServiceName) => services.find((service) => service.name === other)?.url;
  if (name === 'run-api') return setTo('STREAM_URL', env['STREAM_URL'] || urlOf('stream-gateway'));
  if (name !== 'stream-gateway') return {};
  return setTo('CORS_ORIGINS', [env['CORS_ORIGINS'], urlOf('run-api')].filter(Boolean).join(','));
}

const setTo = (variable: string, value: string | undefined): NodeJS.ProcessEnv => (value ? { [variable]: value } : {});

import { describe, expect, it } from '@jest/globals';
import { neighboursOf } from './neighbours.js';

const services = [
  { name: 'stream-gateway', url: 'http://127.0.0.1:3001' },
  { name: 'run-api', url: 'http://127.0.0.1:3000' },
] as const;

describe('What services are told of each other', () => {
  it('is where streams are, and whose page may open them', () => {
    expect(neighboursOf('run-api', services, {})).toEqual({ STREAM_URL: 'http://127.0.0.1:3001' });
    expect(neighboursOf('stream-gateway', services, {})).toEqual({ CORS_ORIGINS: 'http://127.0.0.1:3000' });
    expect(neighboursOf('projector', services, {})).toEqual({});
  });

  it('adds to what somebody has set, and takes nothing from it', () => {
    const env = { STREAM_URL: 'https://stream.example.com', CORS_ORIGINS: 'https://app.example.com' };
    expect(neighboursOf('run-api', services, env)).toEqual({ STREAM_URL: 'https://stream.example.com' });
    expect(neighboursOf('stream-gateway', services, env)).toEqual({
      CORS_ORIGINS: 'https://app.example.com,http://127.0.0.1:3000',
    });
  });

  it('is nothing of a service that is not there', () => {
    expect(neighboursOf('run-api', [], {})).toEqual({});
    expect(neighboursOf('stream-gateway', [], {})).toEqual({});
  });
});

import { z } from 'zod';

/** Below this a shared secret can be guessed from one token. */
const SHORTEST_SECRET = 32;

export const secretEnv = (missing?: string) =>
  z.string(missing).min(SHORTEST_SECRET, `must have at least ${SHORTEST_SECRET} characters`);

/** Whose tokens a service accepts; to be refined with {@link eitherKey}. */
export const authEnv = {
  AUTH_JWT_SECRET: secretEnv().optional(),
  AUTH_JWKS_URL: z.url({ protocol: /^https?$/, error: 'must be the address of a JSON Web Key Set' }).optional(),
  AUTH_ISSUER: z.string('is missing; it is the `iss` of the tokens to accept'),
  AUTH_AUDIENCE: z.string('is missing; it is the `aud` of the tokens to accept'),
};
type AuthEnv = z.infer<z.ZodObject<typeof authEnv>>;

/** `z.object({ ...authEnv }).refine(...eitherKey)` */
export const eitherKey: [isRight: (env: Keys) => boolean, problem: { error: string; path: string[] }] = [
  ({ AUTH_JWT_SECRET, AUTH_JWKS_URL }) => (AUTH_JWT_SECRET === undefined) !== (AUTH_JWKS_URL === undefined),
  { error: 'set either this or AUTH_JWKS_URL', path: ['AUTH_JWT_SECRET'] },
];
type Keys = Pick<AuthEnv, 'AUTH_JWT_SECRET' | 'AUTH_JWKS_URL'>;

export interface AuthSettings {
  readonly secret: string | undefined;
  readonly jwksUrl: string | undefined;
  readonly issuer: string;
  readonly audience: string;
}

export const authConfig = (env: AuthEnv): AuthSettings => ({
  secret: env.AUTH_JWT_SECRET,
  jwksUrl: env.AUTH_JWKS_URL,
  issuer: env.AUTH_ISSUER,
  audience: env.AUTH_AUDIENCE,
});

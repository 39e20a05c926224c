import { z } from 'zod';

/** Anything, as far as the route is concerned; readers of the document are told what it is by a schema that has a name. */
export const described = (name: string) => z.unknown().meta({ $ref: `#/components/schemas/${name}` });

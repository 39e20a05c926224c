import { SetMetadata } from '@nestjs/common';

const OPEN = Symbol('open');

/** Needs no token. Everything else does, so that a new route cannot be left open by forgetting something. */
export const Open = (): ClassDecorator & MethodDecorator => SetMetadata(OPEN, true);

export const isOpen = (handler: object, controller: object): boolean =>
  [handler, controller].some((target) => Reflect.getMetadata(OPEN, target) === true);

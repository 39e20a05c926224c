import { PlatformError } from '@millrace/kernel';
import { z } from 'zod';

/** The app crashed while it was launched. */
export class AppCrashed extends PlatformError {
  readonly code = 'APP_CRASHED';
  readonly redelivery = 'park';
}

/** The device did not do what it was told. */
export class DeviceFailed extends PlatformError {
  readonly code = 'DEVICE_FAILED';
  readonly redelivery = 'park';
}

/** An app as far as a fake device needs it: its screens, and where each action on them leads. */
export const AppMap = z.object({
  start: z.string().min(1),
  screens: z.record(z.string().min(1), z.record(z.string().min(1), z.string().min(1))),
});
export type AppMap = z.infer<typeof AppMap>;

export const DeviceFaults = z.object({
  /** So many launches crash, from the first on. */
  launchCrashes: z.int().nonnegative().default(0),
  /** The actions that fail, counted from 1. */
  failingActs: z.array(z.int().positive()).default([]),
});
export type DeviceFaults = z.infer<typeof DeviceFaults>;

/** What can be done on a screen that offers nothing. */
export const BACK = 'back';

/** No device and no memory: what it does follows from what it is given, so that any process can play it. */
export const fakeDevice = {
  launch: ({ start }: AppMap, { launchCrashes }: DeviceFaults, launch: number): { screen: string } => {
    if (launch <= launchCrashes) throw new AppCrashed(`The app crashed at launch ${launch}`);
    return { screen: start };
  },
  act: ({ start, screens }: AppMap, { failingActs }: DeviceFaults, act: Act): { screen: string } => {
    if (failingActs.includes(act.number)) throw new DeviceFailed(`The device did not answer to ${act.action}`);
    const screen = screens[act.screen]?.[act.action] ?? (act.action === BACK ? start : undefined);
    if (screen === undefined) throw new DeviceFailed(`There is no ${act.action} on ${act.screen}`);
    return { screen };
  },
  actionsOn: ({ screens }: AppMap, screen: string): string[] => {
    const actions = Object.keys(screens[screen] ?? {});
    return actions.length > 0 ? actions : [BACK];
  },
} as const;

export interface Act {
  readonly number: number;
  readonly screen: string;
  readonly action: string;
}

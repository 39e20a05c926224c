import { Annotation } from '@langchain/langgraph';
import { z } from 'zod';
import { AppMap, DeviceFaults } from './fake-device.js';

export const ExplorerInput = z.object({
  app: AppMap,
  faults: DeviceFaults.default({ launchCrashes: 0, failingActs: [] }),
  maxSteps: z.int().positive().max(1_000).default(50),
  /** So many steps without a new screen before something else is tried. */
  patience: z.int().positive().default(3),
});
export type ExplorerInput = z.infer<typeof ExplorerInput>;

/** The policies in the order they are tried. */
export const POLICIES = ['first-untried', 'last-untried'] as const;
export type Policy = (typeof POLICIES)[number];

export type Verdict = 'CONTINUE' | 'SWITCH_POLICY' | 'RESTART_APP' | 'STOP';

const last = <T>(first: T) => ({ reducer: (_before: T, said: T) => said, default: () => first });

export const ExplorerState = Annotation.Root({
  plan: Annotation<ExplorerInput>,
  policy: Annotation<Policy>(last<Policy>(POLICIES[0])),
  screen: Annotation<string>(last('')),
  launches: Annotation<number>(last(0)),
  restarts: Annotation<number>(last(0)),
  acts: Annotation<number>(last(0)),
  /** What ChooseAction takes and gives. */
  availableActions: Annotation<string[]>(last<string[]>([])),
  context: Annotation<string>(last('')),
  selectedAction: Annotation<string>(last('')),
  reasoning: Annotation<string>(last('')),
  /** What went wrong in the node before; empty when nothing did. */
  fault: Annotation<string>(last('')),
  /** Where the last action led, until it is verified. */
  landed: Annotation<string>(last('')),
  tried: Annotation<string[]>(last<string[]>([])),
  seen: Annotation<string[]>(last<string[]>([])),
  /** Steps since a screen was seen for the first time. */
  stale: Annotation<number>(last(0)),
  verdict: Annotation<Verdict>(last<Verdict>('CONTINUE')),
});
export type Explored = typeof ExplorerState.State;
export type ExplorerUpdate = Partial<Explored>;

export { moverOn, PATIENT, workOn, type MoverParts } from './simulation/memory-services.js';
export { simulate, type Simulated, type SimulationOptions } from './simulation/simulate.js';
export { SpecPlatform } from './simulation/spec-platform.js';
export { type StepBody, type StepsPlan, StepsRuntime } from './simulation/steps-graph.js';

export { simulate, type Simulated, type SimulationOptions } from './simulation/simulate.js';
export { type StepBody, type StepsPlan, StepsRuntime } from './simulation/steps-graph.js';

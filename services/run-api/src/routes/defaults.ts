/** What a request stands for when its dialect, or its author, leaves something out. */
export const DEFAULTS = Symbol('RunDefaults');

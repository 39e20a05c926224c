export { LlmScript, scriptedModel, type WrittenScript } from './llm-script.js';
export { ScriptedLlm, type Scripts } from './scripted-llm.js';

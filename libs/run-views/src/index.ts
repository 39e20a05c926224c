export {
  INPUT_REQUEST_STATUSES,
  LOG_LEVELS,
  MESSAGE_ROLES,
  MESSAGE_TYPES,
  STEP_STATUSES,
  TOOL_CALL_STATUSES,
  type CheckpointRow,
  type DeadLetterRow,
  type EventKey,
  type InProject,
  type InputRequestRow,
  type InputRequestStatus,
  type MessageRow,
  type MessageType,
  type RunCancel,
  type RunError,
  type RunKey,
  type RunLogRow,
  type RunRow,
  type RunRows,
  type SpeakerRow,
  type StepRow,
  type StepStatus,
  type ThreadRow,
  type ToolCallRow,
  type ToolCallStatus,
  type TrailRow,
} from './rows.js';
export { foldRun, foldRunRows, RunViews } from './run-views.js';
export { LiveStory, storyOf, type RunStory, type StoryStatus, type StoryStep } from './run-story.js';
export { improvementHints, type ImprovementHints } from './improvement.js';
export { bounded, readable } from './storable.js';
export { foldThread } from './thread.fold.js';
export { keysTouched, type TouchedKeys } from './keys-touched.js';

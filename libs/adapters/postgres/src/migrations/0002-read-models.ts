import { Migration } from '@mikro-orm/migrations';

export class CreateReadModels extends Migration {
  override up(): void {
    for (const statement of TABLES) this.addSql(statement);
    for (const table of [...OF_TENANTS, 'projection_poison']) {
      this.addSql(`alter table "${table}" enable row level security`);
      this.addSql(`alter table "${table}" force row level security`);
      this.addSql(
        `create policy "projector_writes" on "${table}" using (${IS_PROJECTOR}) with check (${IS_PROJECTOR})`,
      );
    }
    for (const table of OF_TENANTS) {
      this.addSql(`create policy "tenant_reads" on "${table}" for select using (${IS_OWN})`);
    }
  }

  override down(): void {
    for (const table of [...OF_TENANTS, 'projection_poison']) this.addSql(`drop table "${table}"`);
  }
}

const IS_PROJECTOR = `current_setting('app.projector', true) = 'on'`;
const IS_OWN = `tenant_id = current_setting('app.current_tenant_id', true)`;

const OF_TENANTS = [
  'checkpoints',
  'dead_letters',
  'input_requests',
  'messages',
  'runs',
  'run_logs',
  'steps',
  'threads',
  'tool_calls',
  'trail',
];

const TABLES = [
  `create table "checkpoints" (
      "tenant_id" text not null,
      "run_id" text not null,
      "position" int not null,
      "sequence" int null,
      "created_at" timestamptz not null,
      "iteration" int not null,
      "node" text not null,
      "resume_token" text not null,
      primary key ("tenant_id", "run_id", "position")
    )`,
  `alter table "checkpoints" add constraint "checkpoints_tenant_id_run_id_sequence_unique" unique ("tenant_id", "run_id", "sequence")`,
  `create table "dead_letters" (
      "tenant_id" text not null,
      "run_id" text not null,
      "position" int not null,
      "sequence" int null,
      "created_at" timestamptz not null,
      "agent" text not null,
      "agent_version" text null,
      "user_id" text not null,
      "project_id" text null,
      "thread_id" text null,
      "input_summary" text not null,
      "reason" text not null,
      "error_code" text not null,
      primary key ("tenant_id", "run_id")
    )`,
  `alter table "dead_letters" add constraint "dead_letters_tenant_id_run_id_sequence_unique" unique ("tenant_id", "run_id", "sequence")`,
  `create table "input_requests" (
      "tenant_id" text not null,
      "run_id" text not null,
      "request_id" text not null,
      "position" int not null,
      "sequence" int null,
      "created_at" timestamptz not null,
      "agent_id" text not null,
      "node" text not null,
      "task_key" text not null,
      "iteration" int not null,
      "attempt" int not null,
      "type" text not null,
      "request" json not null,
      "status" text not null,
      "expires_at" timestamptz null,
      "response" json null,
      "answered_by" text null,
      "closed_at" timestamptz null,
      primary key ("tenant_id", "run_id", "request_id")
    )`,
  `alter table "input_requests" add constraint "input_requests_tenant_id_run_id_sequence_unique" unique ("tenant_id", "run_id", "sequence")`,
  `alter table "input_requests" add constraint "input_requests_type_check" check ("type" in (
      'waitForInput', 'waitForChoice', 'readGraph', 'inspectNode', 'applyEdits', 'queryConsent',
      'toolApproval'
    ))`,
  `alter table "input_requests" add constraint "input_requests_status_check" check ("status" in (
      'open', 'answered', 'expired'
    ))`,
  `create table "messages" (
      "tenant_id" text not null,
      "run_id" text not null,
      "position" int not null,
      "sequence" int null,
      "created_at" timestamptz not null,
      "agent_id" text null,
      "node" text null,
      "task_key" text null,
      "iteration" int null,
      "attempt" int null,
      "type" text not null,
      "from" text not null,
      "role" text not null,
      "content" json null,
      "thinking" text null,
      "round" int null,
      "model" text null,
      "usage" json null,
      "is_internal" boolean not null,
      primary key ("tenant_id", "run_id", "position")
    )`,
  `alter table "messages" add constraint "messages_tenant_id_run_id_sequence_unique" unique ("tenant_id", "run_id", "sequence")`,
  `alter table "messages" add constraint "messages_type_check" check ("type" in (
      'request', 'answer', 'message', 'model_response', 'agent_transition'
    ))`,
  `alter table "messages" add constraint "messages_role_check" check ("role" in (
      'user', 'agent', 'node', 'system', 'tool'
    ))`,
  `create table "projection_poison" (
      "projection" text not null,
      "stream_sequence" bigint not null,
      "tenant_id" text null,
      "run_id" text null,
      "what" text not null,
      "reason" text not null,
      "recorded_at" timestamptz not null,
      primary key ("projection", "stream_sequence")
    )`,
  `create table "runs" (
      "tenant_id" text not null,
      "run_id" text not null,
      "status" text not null,
      "agent" text not null,
      "agent_version" text null,
      "app_id" text not null,
      "policy" text not null,
      "policy_version" int not null,
      "user_id" text not null,
      "project_id" text null,
      "thread_id" text null,
      "retry_of" text null,
      "input_summary" text not null,
      "output" json null,
      "summary" text null,
      "sources" json not null,
      "error" json null,
      "cancel" json null,
      "steps_completed" int not null,
      "progress" double precision not null,
      "usage" json not null,
      "tools_used" json not null,
      "goal_achieved" boolean not null,
      "created_at" timestamptz not null,
      "started_at" timestamptz null,
      "finished_at" timestamptz null,
      "last_position" int not null,
      "last_sequence" int null,
      primary key ("tenant_id", "run_id")
    )`,
  `create index "runs_tenant_id_status_index" on "runs" ("tenant_id", "status")`,
  `create index "runs_user_id_status_index" on "runs" ("user_id", "status")`,
  `create index "runs_tenant_id_thread_id_index" on "runs" ("tenant_id", "thread_id")`,
  `alter table "runs" add constraint "runs_status_check" check ("status" in (
      'PENDING', 'QUEUED', 'DISPATCHED', 'RUNNING', 'PAUSED', 'CANCELED_REQUESTED', 'SUCCEEDED',
      'FAILED', 'CANCELED'
    ))`,
  `create table "run_logs" (
      "tenant_id" text not null,
      "run_id" text not null,
      "position" int not null,
      "sequence" int null,
      "created_at" timestamptz not null,
      "agent_id" text not null,
      "node" text not null,
      "task_key" text not null,
      "iteration" int not null,
      "attempt" int not null,
      "level" text not null,
      "message" text not null,
      "payload" json null,
      "source" text not null,
      primary key ("tenant_id", "run_id", "position")
    )`,
  `alter table "run_logs" add constraint "run_logs_tenant_id_run_id_sequence_unique" unique ("tenant_id", "run_id", "sequence")`,
  `alter table "run_logs" add constraint "run_logs_level_check" check ("level" in (
      'debug', 'info', 'warn', 'error'
    ))`,
  `create table "steps" (
      "tenant_id" text not null,
      "run_id" text not null,
      "task_key" text not null,
      "node" text not null,
      "iteration" int not null,
      "status" text not null,
      "attempt" int not null,
      "stands_from" int not null,
      "agent_id" text null,
      "started_at" timestamptz null,
      "finished_at" timestamptz null,
      "duration_ms" double precision null,
      "retry_at" timestamptz null,
      "error" json null,
      "output" json null,
      "position" int not null,
      primary key ("tenant_id", "run_id", "task_key")
    )`,
  `alter table "steps" add constraint "steps_status_check" check ("status" in (
      'SCHEDULED', 'RUNNING', 'RETRYING', 'WAITING', 'SUCCESS', 'FAILURE', 'SKIPPED'
    ))`,
  `create table "threads" (
      "tenant_id" text not null,
      "thread_id" text not null,
      "agent" text null,
      "title" text null,
      "created_by" text not null,
      "created_at" timestamptz not null,
      primary key ("tenant_id", "thread_id")
    )`,
  `create table "tool_calls" (
      "tenant_id" text not null,
      "run_id" text not null,
      "tool_use_id" text not null,
      "position" int not null,
      "sequence" int null,
      "created_at" timestamptz not null,
      "agent_id" text not null,
      "node" text not null,
      "task_key" text not null,
      "iteration" int not null,
      "attempt" int not null,
      "tool" text not null,
      "input" json null,
      "needs_approval" boolean not null,
      "is_internal" boolean not null,
      "status" text not null,
      "progress" text null,
      "output" json null,
      "error" text null,
      "finished_at" timestamptz null,
      "finished_sequence" int null,
      primary key ("tenant_id", "run_id", "tool_use_id")
    )`,
  `alter table "tool_calls" add constraint "tool_calls_tenant_id_run_id_sequence_unique" unique ("tenant_id", "run_id", "sequence")`,
  `alter table "tool_calls" add constraint "tool_calls_status_check" check ("status" in ('open', 'ok', 'failed'))`,
  `create table "trail" (
      "tenant_id" text not null,
      "run_id" text not null,
      "position" int not null,
      "sequence" int null,
      "created_at" timestamptz not null,
      "kind" text not null,
      "node" text null,
      "agent_id" text null,
      "text" text not null,
      primary key ("tenant_id", "run_id", "position")
    )`,
  `alter table "trail" add constraint "trail_tenant_id_run_id_sequence_unique" unique ("tenant_id", "run_id", "sequence")`,
  `alter table "trail" add constraint "trail_kind_check" check ("kind" in (
      'RunRequested', 'RunQueued', 'RunStarted', 'RunPaused', 'RunResumed', 'RunCancelRequested',
      'RunFinished', 'RunFailed', 'RunCanceled', 'PolicySwitched', 'CheckpointSaved', 'GoalAchieved',
      'RetryRequested', 'NodeScheduled', 'NodeStarted', 'NodeFinished', 'NodeRetryScheduled',
      'NodeSuspended', 'EffectRecorded', 'AgentChanged', 'TokenDelta', 'ThoughtDelta',
      'ModelRequested', 'ModelResponded', 'ToolRequested', 'ToolProgressed', 'ToolFinished',
      'InputRequested', 'InputProvided', 'InputExpired', 'MessageAdded', 'SubagentProgressed',
      'SubagentFailed', 'SubagentFinished', 'SpecialistFinished', 'GraphEdited', 'LogWritten',
      'ProgressReported'
    ))`,
];

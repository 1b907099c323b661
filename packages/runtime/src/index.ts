export { type Agent, agent } from "./agent/agent.js";
export type { AgentOptions, Approver, ApproverAnswer, ModelChoice, RunOptions } from "./agent/agent-options.js";
export type { AgentRun } from "./agent/agent-run.js";
export type { BudgetLimits } from "./agent/budget.js";
export type { HandedOver, HumanQueue } from "./agent/handoff.js";
export type { AgentHooks, ModelChange, ModelStep, ToolDecision, ToolOutcome, ToolStep } from "./agent/hooks.js";
export type { Refusal } from "./calls/refusal.js";
export type {
  Constraint,
  ExclusiveMax,
  ExclusiveMin,
  Format,
  Int,
  Max,
  MaxItems,
  MaxLength,
  Min,
  MinItems,
  MinLength,
  MultipleOf,
  Pattern,
  UniqueItems,
} from "./constraints.js";
export { costOf, type ModelPrice, type Prices } from "./cost/cost-of.js";
export type { Carrier, CarrierStart, ExecuteRun, RunProgress } from "./durable/carrier.js";
export { LocalCarrier, type LocalCarrierOptions } from "./durable/carriers/local-carrier.js";
export type { DecisionOptions, PendingApproval, ResumeOptions } from "./durable/decisions.js";
export {
  Engine,
  type EngineOptions,
  openEngine,
  type StartOptions,
} from "./durable/engine.js";
export { ReplayMismatchError, StoreError, TaskError, TaskResultError, WorkflowError } from "./durable/errors.js";
export type { RunNotice } from "./durable/event-bus.js";
export type { EventsOptions } from "./durable/follow-events.js";
export type { LogEvent, LogEventType, NewLogEvent } from "./durable/log-events.js";
export {
  call,
  choice,
  now,
  type ParallelOptions,
  type PauseOptions,
  parallel,
  pause,
  pipeline,
  progress,
  random,
  sleep,
  uuid,
} from "./durable/primitives.js";
export type {
  Claim,
  ClaimOptions,
  NewRun,
  RunEnd,
  RunFailure,
  RunPage,
  RunQuery,
  RunRecord,
  RunState,
  RunStore,
  Signal,
} from "./durable/run-store.js";
export { type Schedule, type ScheduleOptions, type ScheduleTimes, schedule } from "./durable/schedule.js";
export { task } from "./durable/task.js";
export type { RetryOptions, TaskOptions } from "./durable/task-options.js";
export { type Workflow, type WorkflowContext, type WorkflowOptions, workflow } from "./durable/workflow.js";
export { AgentError } from "./errors/agent-error.js";
export { ArgumentsError } from "./errors/arguments-error.js";
export { CallsignError } from "./errors/callsign-error.js";
export { ManifestError, type ManifestIssue } from "./errors/manifest-error.js";
export { SessionError, type SessionErrorCode } from "./errors/session-error.js";
export { ToolExecutionError } from "./errors/tool-execution-error.js";
export type { RunDone, RunError, RunEvent, RunStop } from "./events/run-events.js";
export { bindTools, type Implementations } from "./manifest/bind-tools.js";
export { type DefinedManifest, defineManifest, type ManifestTypes, type ToolOf } from "./manifest/define-manifest.js";
export type {
  CallSlot,
  CodecName,
  Json,
  JsonSchema,
  JsonTypeName,
  Manifest,
  ManifestSchema,
  ManifestTool,
  ManifestWorkflow,
} from "./manifest/index.js";
export { loadManifest } from "./manifest/load-manifest.js";
export type { ModulePlaces } from "./manifest/module-places.js";
export type { ToolFunction } from "./manifest/tool-registry.js";
export { useValidators } from "./manifest/use-validators.js";
export type {
  AssistantMessage,
  AssistantPart,
  ImagePart,
  Message,
  NativeData,
  NativePart,
  ReasoningPart,
  SystemMessage,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
  UserMessage,
} from "./model/messages.js";
export type { CustomModel } from "./open-model.js";
export type { ForeignSchema, FormatSource } from "./output/format-source.js";
export { Schema, type SchemaDefinition } from "./schema.js";
export { estimateTokens, type HistoryWindow, lastTurns, withinTokens } from "./sessions/history-window.js";
export { MemorySessionStore } from "./sessions/memory-session-store.js";
export { Runner, type RunnerOptions, type Turn, type TurnResult } from "./sessions/runner.js";
export type { SessionRun } from "./sessions/session-run.js";
export type {
  Session,
  SessionChange,
  SessionClaim,
  SessionPage,
  SessionStore,
  SessionSummary,
} from "./sessions/session-store.js";
export { type TurnOptions, takeTurn } from "./sessions/take-turn.js";
export type { StandardIssue, StandardProps, StandardResult } from "./standard-schema.js";
export type { TelemetryOptions } from "./telemetry/open-telemetry.js";
export { type ToolOptions, tool } from "./tool.js";
export { Tool, type ToolDefinition } from "./tool-class.js";
export type { ToolContext } from "./tool-context.js";
export type { SchemaValidators, StandaloneValidator, Validators } from "./validation/validators.js";
export { closeWorkers } from "./workers/pool.js";

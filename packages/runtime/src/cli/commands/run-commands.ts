// See agent-commands.ts.
export { runApprove, runReject } from "./decide.js";
export { runRunsDelete, runRunsExport, runRunsList, runRunsPrune, runRunsShow } from "./runs.js";
export { runWorkflowCancel } from "./workflow-cancel.js";
export { runWorkflowList, runWorkflowShow } from "./workflow-list.js";
export { runWorkflowResume } from "./workflow-resume.js";
export { runWorkflowRun } from "./workflow-run.js";
export { runWorkflowStatus } from "./workflow-status.js";

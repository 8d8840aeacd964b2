// Policies on decisions: what the package offers, beside the texts of rules (`@assay/policy/language`).
export { sumExactly } from './amounts/exact-sum.ts';
export {
  compilePolicies,
  type ListDigests,
  type PolicyCache,
  type PolicySet,
  toCacheKey,
} from './compile.ts';
export { isSameJson } from './condition.ts';
export {
  type Action,
  type ActionType,
  actionTypes,
  checkPolicy,
  type Condition,
  logicalOperators,
  operators,
  type PolicyDefinition,
  policyLimits,
} from './definition.ts';
export {
  APPROVER_ROLES,
  type ApproverRole,
  type Approvals,
  type VoteStep,
  EXCLUDABLE,
  type Excludable,
} from './review/approvals.ts';
export { EFFECTS_MAX, fillEffect, findEffectProblem } from './actions/effects.ts';
export {
  type ActionSummary,
  deriveFacts,
  isQuestionAdapter,
  listCalls,
  listFactSources,
  readCalls,
  QUESTION_ADAPTER,
  readActionSummary,
} from './facts.ts';
export {
  DECIMAL_MAX,
  formatDecimal,
  isDecimal,
  parseDecimal,
  toUpperDecimal,
} from './amounts/decimal.ts';
export { readPath, splitPath } from './fields.ts';
export { HALT_REACHES, type HaltReach, joinReaches, readHalt } from './actions/halts.ts';
export {
  ACTS,
  type Limit,
  LIMIT_SCOPES,
  LIMIT_WINDOW_NAMES,
  LIMIT_WINDOWS,
  type LimitedAction,
  type LimitScope,
  type LimitWindow,
  listLimited,
  type MatchedLimit,
  readLimit,
  readSpentAmount,
} from './limits.ts';
export { parseInstant } from './values/instant.ts';
export {
  findListNames,
  isScalar,
  LIST_NAME,
  type NamedList,
  type NamedLists,
} from './values/lists.ts';
export { findTypeProblems } from './language/fact-types.ts';
export { sourceLimits, type SourceProblem, toSourceProblem } from './language/source.ts';
export { type CompiledCondition, compilePolicy } from './policy.ts';
export {
  GRANT_TAG,
  HALT_TAG,
  LIMIT_TAG,
  STANDING_GRANT_TAG,
  type PrincipalFacts,
} from './principal-facts.ts';
export {
  isFieldKept,
  rebuildFacts,
  rebuildSubmitted,
  type RecordedDecision,
  type RecordedEvaluation,
  type RecordedFacts,
  replayJudgement,
} from './replay.ts';
export {
  chooseExpiry,
  EXPIRY_OUTCOMES,
  EXPIRY_SECONDS,
  type ExpiryOutcome,
  type Expiring,
  isApprovalUsable,
  isLapsed,
  type ReviewExpiry,
} from './review/review-expiry.ts';
export {
  computeSlaDeadline,
  isOverdue,
  REVIEW_PRIORITIES,
  type ReviewPriority,
  type ReviewSla,
} from './review/review-sla.ts';
export {
  findTemplate,
  policyTemplates,
  type PolicyTemplate,
  templateCategories,
} from './templates/templates.ts';
export { ATOMS_MAX, foldValue, listAtoms, listInnerAtoms } from './tools/atoms.ts';
export {
  type ToolCatalogue,
  compileCatalogue,
  type DescribedAction,
  readResultFields,
  type ToolAct,
  UNLISTED,
} from './tools/catalogue.ts';
export {
  type ArgumentBound,
  BOUNDS_MAX,
  checkBounds,
  isWithinBounds,
} from './tools/argument-bounds.ts';
export type { ValueFacts } from './tools/call-values.ts';
export {
  listSourceTraces,
  type Origins,
  readOrigins,
  type ResultFields,
  type SeenValues,
} from './tools/origins.ts';
export { findToolPreset, type ToolPreset, toolPresets } from './tools/presets.ts';
export {
  beginSession,
  changeSession,
  isIdle,
  type SessionChange,
  type SessionState,
} from './tools/session-state.ts';
export { deriveStateFacts, isStateField, type StateFacts } from './tools/state-facts.ts';
export {
  ARGUMENT_ROLES,
  type ArgumentRole,
  checkTool,
  checkToolName,
  findCatalogueProblem,
  LABEL_WORD,
  type Tool,
  type ToolEntry,
  toolLimits,
} from './tools/tool.ts';
export {
  COMMON_LABELS,
  type Effect,
  EFFECTS,
  isToolPrefix,
  toSnakeCase,
  toToolPrefix,
} from './tools/tool-words.ts';
export {
  countLimited,
  findGrantableHolds,
  findHalting,
  findApprovals,
  findReviewExpiry,
  isRestricting,
  type PolicyVerdict,
  toPolicyMatch,
} from './verdict.ts';
export { Work, workLimits } from '@assay/patterns';

// The settings of an agent and their defaults (document 1, section 2).

export interface AgentPolicies {
  strictMode: boolean;
  logPayloads: boolean;
  piiMasking: boolean;
  autoBlockAnomalies: boolean;
  confidenceThreshold: number;
  /** Null, zero or negative: no limit. */
  maxRequestsPerMinute: number | null;
  timeoutMs: number;
}

export const DEFAULT_AGENT_POLICIES: AgentPolicies = {
  autoBlockAnomalies: false,
  confidenceThreshold: 0.8,
  logPayloads: true,
  maxRequestsPerMinute: 600,
  piiMasking: true,
  strictMode: false,
  timeoutMs: 5000,
};

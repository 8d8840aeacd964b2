// The credentials by which the agents of a workspace act: any, or run tokens alone.

export const AGENT_CREDENTIALS = ['any', 'workload'] as const;
export type AgentCredentials = (typeof AGENT_CREDENTIALS)[number];

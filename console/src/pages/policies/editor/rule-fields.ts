// What conditions are about: fields of a decision, for the form and for the completion of the editor.
/** Facts of a decision, with what they are; `docs/guides/policies.md` has all of them. */
export const FIELDS: readonly { field: string; about: string }[] = [
  { field: 'action.names', about: 'tools and verbs of the action' },
  { field: 'action.recipientDomains', about: 'domains of the addresses in it' },
  { field: 'action.largestAmount', about: 'the largest sum of money in it' },
  { field: 'confidenceScore', about: '0 to 1' },
  { field: 'outputDecision.action', about: 'the action as it was sent' },
  { field: 'outputDecision.action.tool', about: 'name of the tool' },
  { field: 'outputDecision.rationale', about: 'why the agent wants it' },
  { field: 'inputContext.prompt', about: 'what the agent was asked' },
  { field: 'inputContext.systemPrompt', about: 'its instructions' },
  { field: 'agentName', about: 'name of the agent' },
  { field: 'agentVersion', about: 'version of the agent' },
  { field: 'tags', about: 'marks of the scoring, such as ANOMALY' },
  { field: 'pii.types', about: 'kinds of personal data in it' },
  { field: 'pii.outputTypes', about: 'kinds of personal data in the output' },
  { field: 'time.hourUtc', about: '0 to 23, in UTC' },
  { field: 'time.weekdayUtc', about: 'day of the week, in UTC' },
  { field: 'metadata', about: 'what the agent adds: metadata.region' },
  { field: 'triggeringCondition', about: 'what led to the decision' },
];

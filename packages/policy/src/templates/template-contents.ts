// Policy templates on content and confidence: personal data, secrets, prompt injection, advice, low scores.
import type { Condition } from '../definition.ts';
import type { PolicyTemplate } from './templates.ts';

function matchPattern(field: string, value: string): Condition {
  return { field, operator: 'regex', value };
}

export const contentTemplates: readonly PolicyTemplate[] = [
  {
    id: 'personal-data-in-output',
    name: 'Personal data in outputs',
    description:
      'Holds a decision whose output holds personal data of any kind that the detectors know.',
    category: 'privacy',
    conditions: [matchPattern('pii.outputTypes', '.')],
    actions: [{ type: 'flag_for_review', config: { reason: 'The output holds personal data' } }],
  },
  {
    id: 'payment-data-in-output',
    name: 'Card, account and identity numbers in outputs',
    description:
      'Blocks a decision whose output holds a card number, an IBAN or a national identity number.',
    category: 'privacy',
    conditions: [
      { field: 'pii.outputTypes', operator: 'contains', value: 'CARD', logicalOperator: 'OR' },
      { field: 'pii.outputTypes', operator: 'contains', value: 'IBAN', logicalOperator: 'OR' },
      { field: 'pii.outputTypes', operator: 'contains', value: 'NATIONAL_ID' },
    ],
    actions: [
      { type: 'block', config: { reason: 'The output holds a card, account or identity number' } },
    ],
  },
  {
    id: 'secrets-in-output',
    name: 'Secrets in outputs',
    description:
      'Blocks an output that holds what looks like a credential: private keys, cloud and payment keys, access tokens, passwords written out.',
    category: 'security',
    conditions: [
      { field: 'pii.outputTypes', operator: 'contains', value: 'SECRET', logicalOperator: 'OR' },
      matchPattern(
        'output.text',
        '-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----|\\b(?:AKIA|ASIA)[0-9A-Z]{16}\\b|\\bgh[pousr]_[0-9A-Za-z]{36}|\\bxox[abprs]-[0-9A-Za-z-]{10}|\\b[rs]k_live_[0-9A-Za-z]{16}|\\bsvc_(?:live|agent)_[0-9a-f]{32}|\\bAIza[0-9A-Za-z_-]{35}|\\beyJ[0-9A-Za-z_-]{8,}\\.eyJ[0-9A-Za-z_-]{8,}\\.|(?i:\\bpassword *[:=] *\\S{6})',
      ),
    ],
    actions: [
      { type: 'block', config: { reason: 'The output holds what looks like a credential' } },
    ],
  },
  {
    id: 'prompt-injection',
    name: 'Marks of prompt injection',
    description:
      'Holds a decision whose prompt tries to replace the instructions: "ignore the previous instructions", "you are now", chat-template tokens and the like. A tripwire, not a wall.',
    category: 'security',
    conditions: [
      matchPattern(
        'inputContext.prompt',
        '(?i)\\b(?:ignore|disregard|forget|override)\\s+(?:(?:all|any|the|your|my|these|of)\\s+){0,3}(?:previous|prior|above|earlier|preceding|system)\\s+(?:instructions?|prompts?|rules|messages?)|\\b(?:reveal|print|repeat|show)\\s+(?:me\\s+)?(?:the|your)\\s+(?:system|hidden|initial)\\s+(?:prompt|instructions?)|\\byou are now (?:an?|in|the)\\b|\\b(?:developer|jailbreak|DAN) mode\\b|\\bdo anything now\\b|<\\|(?:im_start|im_end|system)\\|>|\\[/?INST\\]|new instructions?:',
      ),
    ],
    actions: [
      {
        type: 'flag_for_review',
        config: { reason: 'The prompt tries to replace the instructions' },
      },
    ],
  },
  {
    id: 'low-confidence',
    name: 'Low confidence',
    description: 'Holds a decision whose confidence score is below 0.5.',
    category: 'quality',
    conditions: [{ field: 'confidenceScore', operator: 'less_than', value: 0.5 }],
    actions: [{ type: 'flag_for_review', config: { reason: 'The confidence score is below 0.5' } }],
  },
  {
    id: 'high-ambiguity',
    name: 'High ambiguity',
    description: 'Holds a decision that the confidence engine tags as ambiguous.',
    category: 'quality',
    conditions: [{ field: 'tags', operator: 'contains', value: 'HIGH_AMBIGUITY' }],
    actions: [
      { type: 'flag_for_review', config: { reason: 'Several answers were about equally likely' } },
    ],
  },
  {
    id: 'professional-advice',
    name: 'Legal, medical and financial advice',
    description:
      'Holds an output that gives advice reserved to professions: doses, diagnoses, law suits, investments.',
    category: 'oversight',
    conditions: [
      matchPattern(
        'output.text',
        '(?i)\\b(?:you (?:should|must|need to|can safely)|I (?:recommend|advise|suggest)(?: that)? you)\\s[^.!?\\n]{0,80}\\b(?:sue|lawsuit|plead|legally|dosage|dose|\\d+ ?mg|medication|diagnos(?:is|ed)|prescri(?:be|ption)|invest|buy shares|sell shares)\\b|\\byou (?:probably |likely )?(?:have|suffer from) (?:an?|the) (?:disease|disorder|infection|cancer)\\b',
      ),
    ],
    actions: [
      { type: 'flag_for_review', config: { reason: 'The output gives professional advice' } },
    ],
  },
  {
    id: 'binding-promises',
    name: 'Binding promises',
    description:
      'Holds an answer that commits the company: guarantees, full refunds, waived fees, compensation, legally binding offers.',
    category: 'oversight',
    conditions: [
      matchPattern(
        'output.text',
        "(?i)\\b(?:I|we) (?:can |will |hereby )?(?:guarantee|promise|waive)\\b|\\blegally binding\\b|\\b(?:you will|you'll) (?:receive|get) (?:a )?(?:full refund|compensation)\\b|\\bfree of charge forever\\b",
      ),
    ],
    actions: [{ type: 'flag_for_review', config: { reason: 'The answer commits the company' } }],
  },
];

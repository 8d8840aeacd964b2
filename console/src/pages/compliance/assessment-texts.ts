// Fundamental-rights impact assessments in words.
import type { components } from '../../api/schema.gen.d.ts';

export type Assessment = components['schemas']['Assessment'];
export type Risk = Assessment['identifiedRisks'][number];

export const STATUS_LOOKS = {
  draft: { tone: 'neutral', word: 'Draft' },
  review: { tone: 'warning', word: 'In review' },
  approved: { tone: 'good', word: 'Approved' },
  archived: { tone: 'neutral', word: 'Archived' },
} as const;

/** The texts of the wizard, in its order, with what each asks. */
export const TEXTS = [
  ['purpose', 'Purpose', 'What the system is for, and in which process it is used.'],
  ['affectedPersons', 'People affected', 'Who is likely to be affected, and which groups.'],
  ['usageContext', 'Context of use', 'Where, by whom and on which data it is used.'],
  ['durationOfUse', 'Duration and frequency', 'From when to when, and how often.'],
  ['humanOversightSummary', 'Human oversight', 'Who can stop it, and how they know when to.'],
  [
    'complaintsMechanism',
    'Complaints',
    'Where an affected person turns to, and what happens then.',
  ],
] as const;
export type TextName = (typeof TEXTS)[number][0];

export const LEVELS = ['low', 'medium', 'high'] as const;

// Fundamental-rights impact assessments in words.
import { queryOptions } from '@tanstack/react-query';
import { api, readData } from '../../../api/client.ts';
import type { components } from '../../../api/schema.gen.d.ts';
import type { Step } from './assessment-steps.ts';

export type Assessment = components['schemas']['Assessment'];
export type Risk = Assessment['identifiedRisks'][number];

export const STATUS_LOOKS = {
  draft: { tone: 'neutral', word: 'Draft' },
  review: { tone: 'warning', word: 'In review' },
  approved: { tone: 'good', word: 'Approved' },
  archived: { tone: 'neutral', word: 'Archived' },
} as const;

export const createAssessmentQuery = (id: string) =>
  queryOptions({
    queryKey: ['assessments', 'one', id],
    queryFn: () => readData(api.GET('/api/v1/fria/{id}', { params: { path: { id } } })),
  });

/** The texts of the wizard with what each asks. */
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

const TITLES: ReadonlyMap<Step, string> = new Map<Step, string>([
  ['systemName', 'System'],
  ['identifiedRisks', 'Risks'],
  ['check', 'Check and submit'],
  ...TEXTS.map(([name, title]) => [name, title] as const),
]);

export const toStepTitle = (step: Step): string => TITLES.get(step) ?? step;

/** As the service counts what is complete. */
export function isAnswered(
  answers: Pick<Assessment, Exclude<Step, 'check'>>,
  step: Exclude<Step, 'check'>,
): boolean {
  const answer = answers[step];
  return Array.isArray(answer) ? answer.length > 0 : (answer ?? '').trim() !== '';
}

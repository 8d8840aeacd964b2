// The wizard of an assessment: a step for each question, saved as one goes, and a last one that shows what is open.
import {
  Button,
  Group,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { Section } from '../../../parts/layout/section.tsx';
import { TextLink } from '../../../parts/links.tsx';
import { Problem } from '../../../parts/states.tsx';
import { Mark } from '../../../parts/verdict.tsx';
import { STEPS, type Step } from './assessment-steps.ts';
import { isAnswered, type TextName, TEXTS, toStepTitle } from './assessment-texts.ts';
import classes from './assessment-wizard.module.css';
import { RiskFields } from './risk-fields.tsx';
import type { AssessmentDraft } from './use-assessment-draft.ts';

const route = getRouteApi('/session/compliance/assessments/$assessmentId');

/** The step of the address; without one, the first that is open, which the address names from then on. */
function useStep({ answers }: AssessmentDraft): Step {
  const { step } = route.useSearch();
  const navigate = route.useNavigate();
  const [first] = useState<Step>(
    () => STEPS.find((one) => one === 'check' || !isAnswered(answers, one)) ?? 'check',
  );
  useEffect(() => {
    if (step === undefined) void navigate({ search: { step: first }, replace: true });
  }, [step, first, navigate]);
  return step ?? first;
}

export function AssessmentWizard({ draft }: { draft: AssessmentDraft }): ReactNode {
  const step = useStep(draft);
  const navigate = route.useNavigate();
  const [hasMoved, setMoved] = useState(false);
  const at = STEPS.indexOf(step);
  function moveBy(by: number): void {
    setMoved(true);
    void draft.saveDraft().catch(() => undefined);
    void navigate({ search: { step: STEPS[at + by] }, resetScroll: false });
  }
  return (
    <Section title="Questions" actions={<SaveState draft={draft} />}>
      <div className={classes.wizard}>
        <Steps draft={draft} />
        <Stack gap="md" miw={0}>
          <div>
            <Text size="xs" c="dimmed">
              Step {at + 1} of {STEPS.length}
            </Text>
            <Title order={3} size="h2">
              {toStepTitle(step)}
            </Title>
          </div>
          <Question key={step} step={step} draft={draft} hasFocus={hasMoved} />
          {draft.error && (
            <Problem
              error={draft.error}
              onRetry={() => void draft.saveDraft().catch(() => undefined)}
            />
          )}
          <Group gap="xs">
            {at > 0 && (
              <Button variant="default" onClick={() => moveBy(-1)}>
                Back
              </Button>
            )}
            {step !== 'check' && <Button onClick={() => moveBy(1)}>Next</Button>}
          </Group>
        </Stack>
      </div>
    </Section>
  );
}

const STATES = { saved: 'Saved', changed: 'Not saved yet', saving: 'Saving' } as const;

function SaveState({ draft: { state, error } }: { draft: AssessmentDraft }): ReactNode {
  return (
    <Text size="sm" c="dimmed" role="status">
      {error && state !== 'saving' ? 'Not saved: it is kept in this tab' : STATES[state]}
    </Text>
  );
}

function Steps({ draft }: { draft: AssessmentDraft }): ReactNode {
  return (
    <nav aria-label="Steps" className={classes.steps}>
      {STEPS.map((one) => (
        <StepLink key={one} step={one} draft={draft} />
      ))}
    </nav>
  );
}

interface StepLinkProps {
  step: Step;
  draft: AssessmentDraft;
}

function StepLink({ step, draft }: StepLinkProps): ReactNode {
  const isDone = step !== 'check' && isAnswered(draft.answers, step);
  return (
    <TextLink
      to="."
      search={{ step }}
      resetScroll={false}
      underline="never"
      className={classes.step}
      onClick={() => void draft.saveDraft().catch(() => undefined)}
    >
      <span className={classes.mark} data-done={isDone}>
        <Mark shape={isDone ? 'disc' : 'ring'} />
      </span>
      {toStepTitle(step)}
      {isDone && <VisuallyHidden> (answered)</VisuallyHidden>}
    </TextLink>
  );
}

interface QuestionProps {
  step: Step;
  draft: AssessmentDraft;
  /** One came here by a button: the field is ready to be written in. */
  hasFocus: boolean;
}

function Question({ step, draft, hasFocus }: QuestionProps): ReactNode {
  const saveNow = (): void => void draft.saveDraft().catch(() => undefined);
  const { answers, write } = draft;
  if (step === 'check') return <Check draft={draft} />;
  if (step === 'identifiedRisks')
    return (
      <RiskFields
        risks={answers.identifiedRisks}
        onChange={(risks) => write('identifiedRisks', risks)}
        onLeave={saveNow}
      />
    );
  if (step === 'systemName')
    return (
      <TextInput
        label="Name of the system"
        required
        maxLength={200}
        autoFocus={hasFocus}
        error={answers.systemName.trim() === '' && 'It needs a name'}
        value={answers.systemName}
        onChange={({ currentTarget: { value } }) => write('systemName', value)}
        onBlur={saveNow}
      />
    );
  return <TextQuestion name={step} draft={draft} hasFocus={hasFocus} onLeave={saveNow} />;
}

interface TextProps {
  name: TextName;
  draft: AssessmentDraft;
  hasFocus: boolean;
  onLeave: () => void;
}

function TextQuestion({
  name,
  draft: { answers, write },
  hasFocus,
  onLeave,
}: TextProps): ReactNode {
  const [, label, description] = TEXTS.find(([one]) => one === name) ?? [name, name, ''];
  return (
    <Textarea
      aria-label={label}
      description={description}
      autosize
      minRows={6}
      maxLength={10_000}
      autoFocus={hasFocus}
      value={answers[name] ?? ''}
      onChange={({ currentTarget: { value } }) => write(name, value || null)}
      onBlur={onLeave}
    />
  );
}

/** What is answered and what is open, before it is submitted by the button at the top of the page. */
function Check({ draft: { answers } }: { draft: AssessmentDraft }): ReactNode {
  const open = STEPS.filter((step) => step !== 'check' && !isAnswered(answers, step));
  if (open.length === 0)
    return (
      <Text size="sm">
        Everything is answered. Submit it for approval at the top of the page, or take the PDF.
      </Text>
    );
  return (
    <Stack gap="xs">
      <Text size="sm">
        {open.length === 1 ? 'One question is open.' : `${open.length} questions are open.`} It can
        be submitted all the same; what is open is shown as not answered.
      </Text>
      <ul className="link-list">
        {open.map((step) => (
          <li key={step}>
            <TextLink to="." search={{ step }} size="sm" resetScroll={false}>
              {toStepTitle(step)}
            </TextLink>
          </li>
        ))}
      </ul>
    </Stack>
  );
}

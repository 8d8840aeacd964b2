// One impact assessment: the eight questions, how complete they are, and the way to its approval.
import { Button, Group, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../../api/client.ts';
import { saveFile } from '../../../api/download.ts';
import { ConfirmButton } from '../../../parts/forms/confirm-button.tsx';
import { useChange } from '../../../parts/forms/use-change.ts';
import { Facts } from '../../../parts/layout/facts.tsx';
import { Section } from '../../../parts/layout/section.tsx';
import { Page } from '../../../parts/page.tsx';
import { Problem, QueryView } from '../../../parts/states.tsx';
import { markInvisible, ShortHash, Stored } from '../../../parts/text.tsx';
import { formatToMinute } from '../../../parts/time.tsx';
import { Sign } from '../../../parts/verdict.tsx';
import { toTitle } from '../../../parts/words.ts';
import { useRights } from '../../../session/session.ts';
import { type Assessment, createAssessmentQuery, STATUS_LOOKS, TEXTS } from './assessment-texts.ts';
import { AssessmentWizard } from './assessment-wizard.tsx';
import { useAssessmentDraft } from './use-assessment-draft.ts';

const route = getRouteApi('/session/compliance/assessments/$assessmentId');

const LEAD = 'Impact assessment on fundamental rights';

const toPath = ({ _id: id }: Assessment) => ({ params: { path: { id } } });

export function AssessmentPage(): ReactNode {
  const { assessmentId } = route.useParams();
  const query = useQuery(createAssessmentQuery(assessmentId));
  if (query.data) return <Loaded key={assessmentId} assessment={query.data} />;
  return (
    <Page title="Impact assessment" lead={LEAD}>
      <QueryView query={query}>{() => null}</QueryView>
    </Page>
  );
}

function Loaded({ assessment }: { assessment: Assessment }): ReactNode {
  const { mayWrite } = useRights();
  const { status, completenessScore, chainHash, submittedAt, approvedAt } = assessment;
  const isEditable = mayWrite && (status === 'draft' || status === 'review');
  const draft = useAssessmentDraft(assessment, isEditable);
  return (
    <Page
      title={markInvisible(assessment.systemName)}
      lead={LEAD}
      actions={<Actions assessment={assessment} saveDraft={draft.saveDraft} />}
    >
      <Section title="State">
        <Group gap="sm">
          <Sign tone={STATUS_LOOKS[status].tone} isFilled>
            {STATUS_LOOKS[status].word}
          </Sign>
          <Text size="sm">{completenessScore} % complete</Text>
        </Group>
        <Progress value={completenessScore} aria-label="Completeness" />
        <Facts
          items={[
            ['Submitted', submittedAt && formatToMinute(submittedAt)],
            ['Approved', approvedAt && formatToMinute(approvedAt)],
            ['Anchor', chainHash && <ShortHash key="hash" value={chainHash} label="anchor" />],
          ]}
        />
      </Section>
      {isEditable ? <AssessmentWizard draft={draft} /> : <Contents assessment={assessment} />}
    </Page>
  );
}

function Contents({ assessment }: { assessment: Assessment }): ReactNode {
  return (
    <>
      {TEXTS.map(([name, title]) => (
        <Section key={name} title={title}>
          {assessment[name] === null ? (
            <Text size="sm" c="dimmed">
              Not answered.
            </Text>
          ) : (
            <Stored value={assessment[name]} />
          )}
        </Section>
      ))}
      <Section title="Risks">
        {assessment.identifiedRisks.map((risk, at) => (
          <Facts
            key={at}
            items={[
              ['Risk', markInvisible(risk.title)],
              ['Description', risk.description && markInvisible(risk.description)],
              ['Rights affected', risk.affectedRights.map(markInvisible).join(', ') || null],
              ['Likelihood', toTitle(risk.likelihood)],
              ['Severity', toTitle(risk.severity)],
              ['Mitigation', risk.mitigation && markInvisible(risk.mitigation)],
              ['Residual risk', toTitle(risk.residualRisk)],
            ]}
          />
        ))}
      </Section>
    </>
  );
}

interface ActionsProps {
  assessment: Assessment;
  /** Saves what is written first: what is sealed or printed is what is on the screen. */
  saveDraft: () => Promise<void>;
}

/** Moves that a status allows; the service checks them once more. */
function Actions({ assessment, saveDraft }: ActionsProps): ReactNode {
  const { mayWrite, mayManage } = useRights();
  const { status, systemName } = assessment;
  const refresh = ['assessments'];
  const submit = useChange({
    async change() {
      await saveDraft();
      return readData(api.POST('/api/v1/fria/{id}/submit', toPath(assessment)));
    },
    refresh,
    note: 'It is submitted for approval',
  });
  const approve = useChange({
    async change() {
      await saveDraft();
      return readData(api.POST('/api/v1/fria/{id}/approve', toPath(assessment)));
    },
    refresh,
    note: 'It is approved and sealed',
  });
  const move = useChange({
    change: (to: 'draft' | 'archived') =>
      readData(
        api.POST('/api/v1/fria/{id}/transition', { ...toPath(assessment), body: { status: to } }),
      ),
    refresh,
  });
  const print = useChange({
    async change() {
      await saveDraft();
      await saveFile(`/api/v1/fria/${assessment._id}/pdf`);
    },
  });
  return (
    <>
      <Button variant="default" size="xs" loading={print.isPending} onClick={() => print.mutate()}>
        Download as PDF
      </Button>
      {mayWrite && status === 'draft' && (
        <ConfirmButton
          label="Submit for approval"
          title="Submit it for approval?"
          mutation={submit}
          onConfirm={() => submit.mutateAsync()}
        >
          The contents are sealed into the chain as they are now. They can still be changed until an
          owner or admin approves them.
        </ConfirmButton>
      )}
      {mayManage && status === 'review' && (
        <ConfirmButton
          label="Approve"
          title={`Approve the assessment of ${systemName}?`}
          mutation={approve}
          onConfirm={() => approve.mutateAsync()}
        >
          Your approval is sealed into the chain with the contents.
        </ConfirmButton>
      )}
      {mayManage && status === 'approved' && (
        <ConfirmButton
          label="Open it again"
          title="Open the assessment again?"
          mutation={move}
          onConfirm={() => move.mutateAsync('draft')}
        >
          It becomes a draft, and needs another approval. The approved text stays in the chain.
        </ConfirmButton>
      )}
      {mayWrite && status !== 'archived' && (status !== 'approved' || mayManage) && (
        <ConfirmButton
          label="Archive"
          title="Archive the assessment?"
          mutation={move}
          onConfirm={() => move.mutateAsync('archived')}
          isDangerous
        >
          It is kept as it is, and cannot be opened again.
        </ConfirmButton>
      )}
      {print.error && <Problem error={print.error} />}
    </>
  );
}

// One decision: what it proposes, why the verdict, what happened since, and a check of its entries on this device.
import { Badge, Button, CopyButton, Grid, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { createDecisionQuery, membersQuery } from '../../api/shared-queries.ts';
import { ApprovalsLeft } from '../../parts/record/approvals-left.tsx';
import { ActionView } from '../../parts/action-view.tsx';
import type { Decision } from '../../parts/decision-stream.ts';
import {
  readAction,
  readFurtherOutput,
  readPrompt,
  readToolCall,
  readTrigger,
} from '../../parts/decision-text.ts';
import { StopButton } from '../../parts/halts/stop-button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Surroundings } from '../../parts/record/surroundings.tsx';
import { ButtonLink, TextLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Score } from '../../parts/score.tsx';
import { QueryView } from '../../parts/states.tsx';
import { markInvisible, ShortHash, Stored } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { Verdict } from '../../parts/verdict.tsx';
import { useRights } from '../../session/session.ts';
import { ErasedDecision } from './erased-decision.tsx';
import { JudgedOn } from './judged-on.tsx';
import { Similar } from './similar.tsx';
import { Timeline } from './timeline.tsx';
import { Why } from './why.tsx';

const route = getRouteApi('/session/decisions/$traceId');

export function DecisionPage(): ReactNode {
  const { traceId } = route.useParams();
  const decision = useQuery(createDecisionQuery(traceId));
  const isGone = decision.error instanceof ApiError && decision.error.status === 404;
  return (
    <Page title="Decision" lead={<ShortHash value={traceId} label="id of the decision" />}>
      {isGone ? (
        <ErasedDecision traceId={traceId} />
      ) : (
        <QueryView query={decision}>{(found) => <Details decision={found} />}</QueryView>
      )}
    </Page>
  );
}

function Details({ decision }: { decision: Decision }): ReactNode {
  return (
    <Stack gap="md">
      <Proposal decision={decision} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            <Why decision={decision} />
            <JudgedOn traceId={decision.traceId} />
            <Context decision={decision} />
            <Similar decision={decision} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Timeline decision={decision} />
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function Proposal({ decision }: { decision: Decision }): ReactNode {
  const { status, confidenceScore, agentName, agentId, createdAt, review, traceId } = decision;
  return (
    <Paper p={{ base: 'md', sm: 'lg' }}>
      <Stack gap="sm">
        <Group gap="md">
          <Verdict status={review ? 'flagged' : status} isFilled />
          {review && review.status !== 'pending' && (
            <>
              <Text size="sm" c="dimmed">
                then
              </Text>
              <Verdict status={review.status} isFilled />
              {review.decidedBy !== null && <Decider userId={review.decidedBy} />}
            </>
          )}
          {review && !hasStatusOfReview(review.status, status) && (
            <Verdict status={status} isFilled />
          )}
          <Text size="sm">{agentName ?? agentId}</Text>
          <Group gap={6}>
            <Text size="sm" c="dimmed">
              Confidence
            </Text>
            <Score value={confidenceScore} />
          </Group>
          <Ago at={createdAt} />
        </Group>
        {review?.approvals && <ApprovalsLeft approvals={review.approvals} />}
        {decision.basis && <Basis basis={decision.basis} />}
        <ActionView action={readAction(decision)} isLarge />
        <Tags tags={decision.tags} />
        <Group gap="xs">
          {review?.status === 'pending' && (
            <ButtonLink
              to="/review/{-$traceId}"
              params={{ traceId }}
              leftSection={<Icon name="review" />}
            >
              Review it
            </ButtonLink>
          )}
          <CopyButton value={toCurl(decision)}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy} leftSection={<Icon name="copy" />}>
                {copied ? 'Copied' : 'Copy as curl'}
              </Button>
            )}
          </CopyButton>
          <SameTool decision={decision} />
          <Stops decision={decision} />
          <Consequences traceId={traceId} />
        </Group>
      </Stack>
    </Paper>
  );
}

/** As many characters of a name are searched. */
const TOOL_MAX = 200;

/** More like it, where it calls a tool. */
function SameTool({ decision }: { decision: Decision }): ReactNode {
  const tool = readToolCall(readAction(decision))?.tool.slice(0, TOOL_MAX);
  if (tool === undefined) return null;
  return (
    <ButtonLink
      to="/live"
      search={{ tool }}
      variant="default"
      leftSection={<Icon name="search" />}
      title={`Decisions that call ${markInvisible(tool)}`}
    >
      More of this tool
    </ButtonLink>
  );
}

/** What it may lead to: a report to regulators, or its erasure. */
function Consequences({ traceId }: { traceId: string }): ReactNode {
  const { mayWrite, isOwner } = useRights();
  return (
    <>
      {mayWrite && (
        <ButtonLink to="/incidents" search={{ about: traceId }} variant="default">
          Open an incident
        </ButtonLink>
      )}
      {isOwner && (
        <ButtonLink to="/evidence" search={{ part: 'erasures', about: traceId }} variant="default">
          Erase it
        </ButtonLink>
      )}
    </>
  );
}

/** Ways to stop more of the same. */
function Stops({ decision }: { decision: Decision }): ReactNode {
  const { agentId, agentName, traceId, sessionId } = decision;
  const name = agentName ?? agentId;
  return (
    <>
      <StopButton
        label="Stop its agent"
        size="sm"
        target={{ scope: 'agent', target: agentId, name }}
      />
      {typeof sessionId === 'string' && (
        <StopButton
          label="Stop its session"
          size="sm"
          target={{ scope: 'session', target: traceId, name: `session ${sessionId} of ${name}` }}
        />
      )}
    </>
  );
}

const AFTER_REVIEW: Readonly<Record<string, Decision['status']>> = {
  pending: 'flagged',
  approved: 'approved',
};

/** Whether the status of today is what the review made of the decision. */
const hasStatusOfReview = (review: string, status: Decision['status']): boolean =>
  status === (AFTER_REVIEW[review] ?? 'blocked');

function Decider({ userId }: { userId: string }): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  const name = members.find((member) => member.userId === userId)?.name;
  return <Text size="sm">by {name === undefined ? 'a person' : markInvisible(name)}</Text>;
}

/** Why no person was asked, although a policy holds it. */
function Basis({ basis: { id, policy } }: { basis: NonNullable<Decision['basis']> }): ReactNode {
  return (
    <Text size="sm">
      Let through by a{' '}
      <TextLink to="/grants/$grantId" params={{ grantId: id }}>
        standing grant
      </TextLink>
      {policy && `; else ${markInvisible(policy.name)} holds it`}
    </Text>
  );
}

function Tags({ tags }: { tags: readonly string[] }): ReactNode {
  if (tags.length === 0) return null;
  return (
    <Group gap={6}>
      {tags.map((tag) => (
        <Badge key={tag} color="gray">
          {tag}
        </Badge>
      ))}
    </Group>
  );
}

/** The command that posts the same decision again. */
function toCurl({ agentId, agentName, inputContext, outputDecision, rationale }: Decision): string {
  const body = { agentId: agentName ?? agentId, inputContext, outputDecision, rationale };
  const text = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  return [
    `curl -s ${location.origin}/api/v1/traces \\`,
    `  -H "x-api-key: $ASSAY_KEY" -H 'content-type: application/json' \\`,
    `  -d '${text}'`,
  ].join('\n');
}

const PARTS = [
  ['Rationale', 'rationale'],
  ['Triggered by', 'triggeringCondition'],
  ['Alternatives', 'alternatives'],
  ['Metadata', 'metadata'],
] as const;

function Context({ decision }: { decision: Decision }): ReactNode {
  const prompt = readPrompt(decision);
  const isErased = decision.inputContext === null && decision.outputDecision === null;
  return (
    <Paper p="md" component="section" aria-label="What it says">
      <Stack gap="md">
        {isErased && (
          <Text c="dimmed" size="sm">
            The contents are erased. Its entries stay, and the chain stays whole.
          </Text>
        )}
        {prompt !== null && <Part title="Prompt" value={prompt} />}
        <Part title="Begun by" value={readTrigger(decision.inputContext)} />
        <Surroundings {...decision} />
        {PARTS.map(([title, name]) => {
          const value = decision[name];
          return value === null || value === undefined ? null : (
            <Part key={name} title={title} value={value} />
          );
        })}
        <Part title="Further output" value={readFurtherOutput(decision)} />
      </Stack>
    </Paper>
  );
}

function Part({ title, value }: { title: string; value: unknown }): ReactNode {
  if (value === null) return null;
  return (
    <div>
      <Title order={2} mb={2} size="h3">
        {title}
      </Title>
      <Stored value={value} />
    </div>
  );
}

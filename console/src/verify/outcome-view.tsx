// The outcome: the verdict, what it proves and what it does not, and each finding with its place.
import { Code, List, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Outcome } from '../../verifier/protocol.ts';
import { DataTable } from '../parts/lists/data-table.tsx';
import { markInvisible } from '../parts/text.tsx';
import {
  describeCode,
  describeVerdict,
  isReadWhole,
  listProved,
  listUnproved,
} from './describe-outcome.ts';
import { VerdictBand } from './verdict-band.tsx';

export function OutcomeView({ outcome }: { outcome: Outcome }): ReactNode {
  const { report, promises, destruction } = outcome;
  const [first] = promises;
  return (
    <Stack gap="md" component="section" aria-label="Result">
      {report && <VerdictBand verdict={report.verdict} text={describeVerdict(report)} />}
      {!report && first && (
        <VerdictBand verdict={first.report.verdict} text={`${first.report.message}.`} />
      )}
      {!report && !first && destruction && (
        <VerdictBand
          verdict="cannot tell"
          text={`Whether keys were destroyed: ${destruction.gap}.`}
        />
      )}
      {report && <Findings report={report} />}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Sentences title="Proved" sentences={listProved(outcome)} none="Nothing yet." />
        <Sentences title="Not proved" sentences={listUnproved(outcome)} none="" />
      </SimpleGrid>
      {report && <Facts report={report} />}
    </Stack>
  );
}

interface SentencesProps {
  title: string;
  sentences: readonly string[];
  none: string;
}

function Sentences({ title, sentences, none }: SentencesProps): ReactNode {
  return (
    <Paper p="md">
      <Title order={2} mb="xs">
        {title}
      </Title>
      {sentences.length === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <List size="sm" spacing={4}>
          {sentences.map((sentence) => (
            <List.Item key={sentence} className="stored-text">
              {markInvisible(sentence)}
            </List.Item>
          ))}
        </List>
      )}
    </Paper>
  );
}

type Report = NonNullable<Outcome['report']>;
const MOST_SHOWN = 20;

export function Findings({ report }: { report: Report }): ReactNode {
  const { problems, problemCount } = report;
  // The verdict says that nothing vouches for it, the list of what is not proved that keys are not shown as destroyed.
  if (isReadWhole(report)) return null;
  const shown = problems.slice(0, MOST_SHOWN);
  return (
    <Stack gap="xs">
      <DataTable
        label="Findings"
        rows={shown.map((problem, at) => ({ ...problem, at }))}
        toKey={({ at }) => String(at)}
        columns={[
          {
            title: 'Entry',
            cell: ({ sequence, line }) => (
              <span className="numbers">{sequence ?? `line ${line}`}</span>
            ),
          },
          {
            title: 'What was found',
            cell: ({ message, code }) => (
              <div>
                <Text size="sm" fw={600} className="stored-text">
                  {markInvisible(message)}
                </Text>
                <Text size="sm" c="dimmed">
                  {describeCode(code)}
                </Text>
              </div>
            ),
          },
          { title: 'Code', isShort: true, cell: ({ code }) => <Code>{code}</Code> },
        ]}
      />
      {problemCount > shown.length && (
        <Text size="sm" c="dimmed">
          {(problemCount - shown.length).toLocaleString('en')} more findings follow from these.
        </Text>
      )}
    </Stack>
  );
}

function Facts({ report }: { report: Report }): ReactNode {
  const { organizationId, chain, exportedAt, head, fields } = report;
  const facts: [string, string][] = [
    ['Organisation', organizationId ?? 'unknown'],
    ['Chain', chain ?? 'unknown'],
    ['Exported', exportedAt ?? 'unknown'],
    ['Newest entry, as claimed', String(head?.sequence ?? '—')],
    [
      'Values',
      `${fields.shown} shown, ${fields.partlyShown} partly, ${fields.withheld} withheld, ${fields.notStored} not stored, ${fields.erased} erased`,
    ],
  ];
  return (
    <Paper p="md" component="section" aria-label="The file">
      <Title order={2}>The file</Title>
      <dl className="parameters">
        {facts.map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" className="stored-text numbers">
              {markInvisible(value)}
            </Text>
          </div>
        ))}
      </dl>
    </Paper>
  );
}

// The outcome: the verdict, what it proves and what it does not, and each finding with its place.
import { Code, List, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Outcome } from '../../verifier/protocol.ts';
import { markInvisible } from '../parts/text.tsx';
import { describeCode, describeVerdict, listProved, listUnproved } from './describe-outcome.ts';
import { VerdictBand } from './verdict-band.tsx';

export function OutcomeView({ outcome }: { outcome: Outcome }): ReactNode {
  const { report, promises } = outcome;
  const [first] = promises;
  return (
    <Stack gap="md" component="section" aria-label="Result">
      {report && <VerdictBand verdict={report.verdict} text={describeVerdict(report)} />}
      {!report && first && (
        <VerdictBand verdict={first.report.verdict} text={`${first.report.message}.`} />
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
  // The verdict says that nothing vouches for it.
  if (problems.every(({ code }) => code === 'not-vouched')) return null;
  const shown = problems.slice(0, MOST_SHOWN);
  return (
    <Paper>
      <Table.ScrollContainer
        minWidth={480}
        scrollAreaProps={{ offsetScrollbars: false, viewportProps: { tabIndex: 0 } }}
      >
        <Table aria-label="Findings">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={90}>Entry</Table.Th>
              <Table.Th>What was found</Table.Th>
              <Table.Th w={200}>Code</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map(({ sequence, line, code, message }, i) => (
              <Table.Tr key={i}>
                <Table.Td className="numbers">{sequence ?? `line ${line}`}</Table.Td>
                <Table.Td>
                  <Text size="sm" fw={600} className="stored-text">
                    {markInvisible(message)}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {describeCode(code)}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Code>{code}</Code>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {problemCount > shown.length && (
        <Text size="sm" c="dimmed" p="sm">
          {(problemCount - shown.length).toLocaleString('en')} more findings follow from these.
        </Text>
      )}
    </Paper>
  );
}

function Facts({ report }: { report: Report }): ReactNode {
  const { organizationId, chain, exportedAt, head, fields } = report;
  const facts: [string, string][] = [
    ['Organisation', organizationId ?? 'unknown'],
    ['Chain', chain ?? 'unknown'],
    ['Exported', exportedAt ?? 'unknown'],
    ['Newest entry, as claimed', String(head?.sequence ?? '–')],
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

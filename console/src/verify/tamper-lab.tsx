// The tamper lab: what an attacker would do, done to a copy, with the entry that gives it away.
import {
  Button,
  Checkbox,
  Code,
  Group,
  Paper,
  Radio,
  ScrollArea,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { EntryRow, Evidence, Outcome, Tampering } from '../../verifier/protocol.ts';
import { markInvisible } from '../parts/text.tsx';
import { useVerifier } from './ask-verifier.ts';
import { describeVerdict } from './describe-outcome.ts';
import { Findings } from './outcome-view.tsx';
import { VerdictBand } from './verdict-band.tsx';

interface Props {
  bundle: Blob;
  evidence: Evidence;
  rows: readonly EntryRow[];
}

const MOST_ROWS = 200;
const WAYS: readonly { what: Tampering['what']; label: string; ofFile: string }[] = [
  { what: 'change', label: 'Change one character', ofFile: 'Change one character' },
  { what: 'remove', label: 'Take the entry out', ofFile: 'Take the file out' },
  { what: 'swap', label: 'Swap it with the next', ofFile: 'Swap it with the next' },
  { what: 'cut', label: 'Cut the chain off here', ofFile: 'Cut the archive off here' },
];
/** What no verifier reads. */
const FOR_PEOPLE = 'VERIFY.md';

const isFile = ({ sequence }: EntryRow): boolean => sequence === null;

export function TamperLab({ bundle, evidence, rows }: Props): ReactNode {
  const [what, setWhat] = useState<Tampering['what']>('change');
  const [at, setAt] = useState(Math.min(rows.filter(isFile).length + 1, rows.length - 1));
  const [isForged, setForged] = useState(false);
  const { outcome, progress, ask, cancel } = useVerifier();
  const chosen = rows[at];
  const isOfFile = chosen !== undefined && isFile(chosen);
  const tampering = { what, at, isForged: isForged && !isOfFile };
  return (
    <Paper p="md" component="section" aria-label="Tamper lab">
      <Title order={2}>Tamper lab</Title>
      <Text size="sm" c="dimmed" mb="sm">
        Attack a copy, and see what gives you away. Your file stays as it is.
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} mb="sm">
        <Entries
          rows={rows}
          at={at}
          onChoose={(index) => {
            setAt(index);
            cancel();
          }}
          isFaulty={findFaulty(outcome)}
        />
        <Stack gap="sm" align="flex-start">
          <Radio.Group
            label="What you do to it"
            value={what}
            onChange={(way) => setWhat(way as Tampering['what'])}
          >
            <Stack gap={6} mt={6}>
              {WAYS.map((way) => (
                <Radio key={way.what} value={way.what} label={isOfFile ? way.ofFile : way.label} />
              ))}
            </Stack>
          </Radio.Group>
          <Checkbox
            label="Then compute all hashes again"
            description="As the owner of the database could. Only what you trust can show it then."
            checked={isForged}
            disabled={isOfFile}
            onChange={(event) => setForged(event.currentTarget.checked)}
          />
          <Button
            variant="default"
            loading={progress !== null}
            onClick={() => ask({ bundle, evidence, tampering })}
          >
            Tamper and verify
          </Button>
        </Stack>
      </SimpleGrid>
      {outcome?.report && (
        <Stack gap="sm">
          {outcome.change && <Change {...outcome.change} />}
          <VerdictBand verdict={outcome.report.verdict} text={describeVerdict(outcome.report)} />
          <Findings report={outcome.report} />
        </Stack>
      )}
    </Paper>
  );
}

/** Finds the rows with findings: of an entry by its number, of a file by its name. */
function findFaulty(outcome: Outcome | null): (row: EntryRow) => boolean {
  const problems = outcome?.report?.problems ?? [];
  const tampered = problems.filter(({ verdict }) => verdict === 'tampered');
  return ({ sequence, kind }) =>
    sequence === null
      ? problems.some(({ message }) => message.includes(kind))
      : tampered.some((problem) => problem.sequence === sequence);
}

interface EntriesProps {
  rows: readonly EntryRow[];
  at: number;
  onChoose: (index: number) => void;
  isFaulty: (row: EntryRow) => boolean;
}

function Entries({ rows, at, onChoose, isFaulty }: EntriesProps): ReactNode {
  return (
    <div>
      <ScrollArea.Autosize mah={280} type="auto">
        <Radio.Group
          label={rows.some(isFile) ? 'What you attack' : 'The entry that you attack'}
          value={String(at)}
          onChange={(index) => onChoose(Number(index))}
        >
          <Stack gap={4} mt={6} p={2}>
            {rows.slice(0, MOST_ROWS).map((row, index) => (
              <Radio
                key={index}
                value={String(index)}
                label={
                  <Text
                    span
                    size="sm"
                    className="numbers"
                    fw={isFaulty(row) ? 650 : 400}
                    c={isFaulty(row) ? 'var(--assay-blocked)' : undefined}
                  >
                    {row.sequence} {row.kind}
                    {row.kind === FOR_PEOPLE ? ' – for people, and no evidence' : ''}
                    {isFaulty(row) ? ' – does not fit' : ''}
                  </Text>
                }
              />
            ))}
          </Stack>
        </Radio.Group>
      </ScrollArea.Autosize>
      {rows.length > MOST_ROWS && (
        <Text size="xs" c="dimmed">
          The first {MOST_ROWS} of {rows.length.toLocaleString('en')}
        </Text>
      )}
    </div>
  );
}

function Change({ before, after }: { before: string; after: string }): ReactNode {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Stack gap={2} miw={0}>
        <Text size="xs" c="dimmed">
          Before
        </Text>
        <Code block className="stored-text">
          {markInvisible(before)}
        </Code>
        <Text size="xs" c="dimmed">
          After
        </Text>
        <Code block className="stored-text">
          {after === '' ? 'gone' : markInvisible(after)}
        </Code>
      </Stack>
    </Group>
  );
}

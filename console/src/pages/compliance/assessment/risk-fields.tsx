// The risks of an assessment: each with what makes it likely, what is done about it, and what is left.
import { Button, Paper, Select, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { toTitle } from '../../../parts/words.ts';
import { LEVELS, type Risk } from './assessment-texts.ts';

const NEW_RISK: Risk = {
  title: '',
  description: null,
  likelihood: 'medium',
  severity: 'medium',
  affectedRights: [],
  mitigation: null,
  residualRisk: 'low',
};
const MOST_RISKS = 100;
const LEVEL_CHOICES = LEVELS.map((value) => ({ value, label: toTitle(value) }));

interface Props {
  risks: readonly Risk[];
  onChange: (risks: Risk[]) => void;
  onLeave: () => void;
}

export function RiskFields({ risks, onChange, onLeave }: Props): ReactNode {
  const hasUnnamed = risks.some(({ title }) => title.trim() === '');
  return (
    <Stack gap="sm" role="group" aria-label="Risks" onBlur={onLeave}>
      {risks.length === 0 && (
        <Text size="sm" c="dimmed">
          Name at least one: what could happen to whom, how likely, how severe, and what is done
          about it.
        </Text>
      )}
      {risks.map((risk, at) => (
        <RiskField
          key={at}
          risk={risk}
          number={at + 1}
          onChange={(change) =>
            onChange(risks.map((one, place) => (place === at ? { ...one, ...change } : one)))
          }
          onRemove={() => onChange(risks.filter((_, place) => place !== at))}
        />
      ))}
      <Button
        variant="default"
        size="xs"
        w="fit-content"
        disabled={risks.length >= MOST_RISKS}
        onClick={() => onChange([...risks, NEW_RISK])}
      >
        Add a risk
      </Button>
      {hasUnnamed && (
        <Text size="xs" c="var(--assay-held)" role="status">
          Risks are saved when each has a name.
        </Text>
      )}
    </Stack>
  );
}

interface RiskProps {
  risk: Risk;
  number: number;
  onChange: (change: Partial<Risk>) => void;
  onRemove: () => void;
}

function RiskField({ risk, number, onChange, onRemove }: RiskProps): ReactNode {
  const toText = (name: 'description' | 'mitigation') => ({
    value: risk[name] ?? '',
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      onChange({ [name]: value || null }),
  });
  const toLevel = (name: 'likelihood' | 'severity' | 'residualRisk') => ({
    value: risk[name],
    allowDeselect: false,
    data: LEVEL_CHOICES,
    onChange: (value: Risk['severity'] | null) => value && onChange({ [name]: value }),
  });
  return (
    <Paper p="sm" role="group" aria-label={`Risk ${number}`}>
      <Stack gap="xs">
        <TextInput
          label={`Risk ${number}`}
          required
          maxLength={200}
          value={risk.title}
          onChange={({ currentTarget: { value } }) => onChange({ title: value })}
        />
        <Textarea
          label="Description"
          autosize
          minRows={2}
          maxLength={4000}
          {...toText('description')}
        />
        <TextInput
          label="Rights affected"
          description="Separated by commas, such as privacy, an effective remedy"
          maxLength={1000}
          defaultValue={risk.affectedRights.join(', ')}
          onChange={({ currentTarget: { value } }) =>
            onChange({ affectedRights: splitRights(value) })
          }
        />
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
          <Select label="Likelihood" {...toLevel('likelihood')} />
          <Select label="Severity" {...toLevel('severity')} />
          <Select label="Residual risk" {...toLevel('residualRisk')} />
        </SimpleGrid>
        <Textarea
          label="Mitigation"
          autosize
          minRows={2}
          maxLength={4000}
          {...toText('mitigation')}
        />
        <Button variant="default" size="xs" w="fit-content" onClick={onRemove}>
          Remove risk {number}
        </Button>
      </Stack>
    </Paper>
  );
}

const MOST_RIGHTS = 50;

const splitRights = (text: string): string[] =>
  text
    .split(',')
    .map((right) => right.trim().slice(0, 200))
    .filter((right) => right !== '')
    .slice(0, MOST_RIGHTS);

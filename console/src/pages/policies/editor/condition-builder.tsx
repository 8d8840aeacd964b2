// The conditions and the actions of a rule as a form; what is chosen here is written into the source.
import { Autocomplete, Button, Group, Paper, Select, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { TakeAway } from '../../../parts/forms/take-away.tsx';
import { Icon } from '../../../parts/icons.tsx';
import type { PolicyContents } from '../policy-queries.ts';
import { describeOperator, OPERATOR_WORDS } from '../../../parts/record/condition-words.ts';
import { ActionFields } from './action-fields.tsx';
import { FIELDS } from './rule-fields.ts';
import classes from './condition-builder.module.css';
import { convertValue, ValueInput } from './value-input.tsx';

type Condition = PolicyContents['conditions'][number];

/** The operators, and those turned round that a person would say; others show when a rule has them. */
const OFFERED: readonly { value: string; label: string }[] = Object.entries(OPERATOR_WORDS).flatMap(
  ([operator, [plain, turned]]) => [
    { value: operator, label: plain },
    ...(/than|at_/.test(operator) ? [] : [{ value: `not ${operator}`, label: turned }]),
  ],
);

function listOperators({ operator, not: isNegated }: Condition): typeof OFFERED {
  const value = toChoice({ operator, not: isNegated });
  if (OFFERED.some((known) => known.value === value)) return OFFERED;
  return [...OFFERED, { value, label: describeOperator(operator, isNegated === true) }];
}

const toChoice = ({ operator, not: isNegated }: Pick<Condition, 'operator' | 'not'>): string =>
  isNegated === true ? `not ${operator}` : operator;

/** The condition with the operator that was chosen. */
function withChoice({ not: _not, ...condition }: Condition, choice: string): Condition {
  const operator = choice.replace(/^not /, '') as Condition['operator'];
  const value = convertValue(condition.value, operator);
  const isNegated = choice.startsWith('not ');
  return { ...condition, operator, value, ...(isNegated && { not: true }) };
}

const NEW_CONDITION: Condition = { field: 'action.names', operator: 'contains', value: 'refund' };

interface Props {
  /** Null: the source cannot be read. */
  policy: PolicyContents | null;
  onChange: (policy: PolicyContents) => void;
  /** The lines of the source on which the actions begin. */
  actionLines: readonly number[];
  /** What the service says of the source. */
  errors: readonly { line: number; message: string }[];
  isReadOnly: boolean;
}

export function ConditionBuilder(props: Props): ReactNode {
  const { policy, onChange, actionLines, errors, isReadOnly } = props;
  if (!policy)
    return (
      <Paper p="md">
        <Text size="sm" c="dimmed">
          The conditions stand here as a form once the source can be read.
        </Text>
      </Paper>
    );
  const { conditions, actions } = policy;
  const setConditions = (changed: Condition[]): void =>
    onChange({ ...policy, conditions: changed });
  const addCondition = (): void =>
    setConditions([
      ...conditions.map((known) => ({ ...known, logicalOperator: known.logicalOperator ?? 'AND' })),
      NEW_CONDITION,
    ] as Condition[]);
  return (
    <Paper p="md" component="section" aria-label="Conditions">
      <Stack gap="sm">
        <Title order={2}>When</Title>
        {conditions.length === 0 && (
          <Text size="sm" c="dimmed">
            Without a condition it matches every decision.
          </Text>
        )}
        {conditions.map((known, i) => (
          <ConditionRow
            key={`${i}-${JSON.stringify(known)}`}
            number={i + 1}
            condition={known}
            isLast={i === conditions.length - 1}
            isReadOnly={isReadOnly}
            onChange={(changed) => setConditions(conditions.with(i, changed))}
            onRemove={() => setConditions(trimLast(conditions.toSpliced(i, 1)))}
          />
        ))}
        {!isReadOnly && (
          <Button
            variant="default"
            size="xs"
            w="fit-content"
            onClick={addCondition}
            leftSection={<Icon name="plus" size={14} />}
          >
            Add a condition
          </Button>
        )}
        <Title order={2}>Then</Title>
        <ActionFields
          actions={actions}
          lines={actionLines}
          errors={errors}
          isReadOnly={isReadOnly}
          onChange={(changed) => onChange({ ...policy, actions: changed })}
        />
      </Stack>
    </Paper>
  );
}

/** The last condition joins nothing. */
function trimLast(conditions: Condition[]): Condition[] {
  const last = conditions.at(-1);
  if (!last) return conditions;
  const { logicalOperator: _joined, ...rest } = last;
  return conditions.with(-1, rest);
}

interface RowProps {
  number: number;
  condition: Condition;
  isLast: boolean;
  isReadOnly: boolean;
  onChange: (condition: Condition) => void;
  onRemove: () => void;
}

function ConditionRow(props: RowProps): ReactNode {
  const { number, condition, isLast, isReadOnly, onChange, onRemove } = props;
  const { field, logicalOperator } = condition;
  const [typedField, setTypedField] = useState(field);
  const commitField = (chosen: string): void => {
    if (chosen.trim() !== '' && chosen !== field) onChange({ ...condition, field: chosen.trim() });
  };
  return (
    <Stack gap={6} role="group" aria-label={`Condition ${number}`} className={classes.condition}>
      <Group gap={6} align="flex-end" wrap="nowrap">
        <Autocomplete
          label="Field"
          data={FIELDS.map(({ field: name }) => name)}
          value={typedField}
          onChange={setTypedField}
          onOptionSubmit={commitField}
          onBlur={() => commitField(typedField)}
          disabled={isReadOnly}
          flex="3 1 120px"
        />
        <Select
          label="Compared"
          data={listOperators(condition)}
          value={toChoice(condition)}
          allowDeselect={false}
          disabled={isReadOnly}
          onChange={(chosen) => onChange(withChoice(condition, chosen ?? toChoice(condition)))}
          flex="2 1 110px"
        />
        {!isReadOnly && <TakeAway what={`condition ${number}`} onClick={onRemove} />}
      </Group>
      <Group gap={6} align="flex-end" wrap="nowrap">
        <ValueInput
          condition={condition}
          isReadOnly={isReadOnly}
          onChange={(value) => onChange({ ...condition, value })}
        />
        {!isLast && (
          <Select
            label="And, or"
            data={[
              { value: 'AND', label: 'and' },
              { value: 'OR', label: 'or' },
            ]}
            value={logicalOperator ?? 'AND'}
            allowDeselect={false}
            disabled={isReadOnly}
            onChange={(chosen) =>
              onChange({ ...condition, logicalOperator: chosen as 'AND' | 'OR' })
            }
            w={80}
          />
        )}
      </Group>
    </Stack>
  );
}

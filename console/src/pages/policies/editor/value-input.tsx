// The value of a condition: a text or number, chips of a list, or the name of a list.
import { Group, Select, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { readListName } from '../../../parts/record/condition-words.ts';
import { listsQuery, type PolicyContents } from '../policy-queries.ts';

type Condition = PolicyContents['conditions'][number];
type Value = Condition['value'];

interface Props {
  condition: Condition;
  isReadOnly: boolean;
  onChange: (value: Value) => void;
}

export const isListed = (operator: Condition['operator']): boolean =>
  operator === 'in' || operator === 'any_in';

/** The value that stays when another operator is chosen. */
export function convertValue(value: Value, operator: Condition['operator']): Value {
  if (!isListed(operator)) return Array.isArray(value) ? (value[0] ?? '') : toPlain(value);
  if (Array.isArray(value) || readListName(value) !== null) return value;
  return [value];
}

const toPlain = (value: Value): Value => (readListName(value) === null ? value : '');

export function ValueInput(props: Props): ReactNode {
  return isListed(props.condition.operator) ? (
    <ListedValue {...props} />
  ) : (
    <PlainValue {...props} />
  );
}

const formatInput = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Numbers, true, false, lists and objects are JSON; anything else is a text. */
function parseInput(text: string, operator: Condition['operator']): Value {
  if (operator === 'regex') return text;
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text;
  }
}

function PlainValue({ condition: { operator, value }, isReadOnly, onChange }: Props): ReactNode {
  return (
    <TextInput
      label="Value"
      defaultValue={formatInput(value)}
      disabled={isReadOnly}
      onBlur={({ currentTarget }) => {
        if (currentTarget.value !== formatInput(value))
          onChange(parseInput(currentTarget.value, operator));
      }}
      flex="3 1 140px"
    />
  );
}

const OWN_VALUES = ' own';
/** More chips than this are no longer read: such a list gets a name. */
const MOST_CHIPS = 1_000;

function ListedValue({ condition: { value }, isReadOnly, onChange }: Props): ReactNode {
  const { data: lists = [] } = useQuery(listsQuery);
  const name = readListName(value);
  const names = new Set([...lists.map((list) => list.name), ...(name === null ? [] : [name])]);
  const values = Array.isArray(value) ? value.map((one) => formatInput(one)) : [];
  return (
    <Group gap={6} align="flex-end" flex="3 1 240px">
      <Select
        label="Values"
        data={[
          { value: OWN_VALUES, label: 'these' },
          ...[...names].sort().map((one) => ({ value: one, label: `list ${one}` })),
        ]}
        value={name ?? OWN_VALUES}
        allowDeselect={false}
        disabled={isReadOnly}
        onChange={(chosen) => onChange(chosen === OWN_VALUES ? [] : { list: chosen ?? '' })}
        flex="1 1 110px"
      />
      {name === null && (
        <TagsInput
          label="Value"
          value={values}
          onChange={(typed) => onChange(typed.map((text) => restoreValue(text, value)))}
          maxTags={MOST_CHIPS}
          placeholder="Type one, press Enter"
          disabled={isReadOnly}
          flex="3 1 180px"
        />
      )}
    </Group>
  );
}

/** A chip that was there keeps its type; a new one that is a number or boolean becomes one. */
function restoreValue(text: string, value: Value): Value {
  const known = Array.isArray(value) ? value.find((one) => formatInput(one) === text) : undefined;
  return known ?? (/^-?\d|^(true|false)$/.test(text) ? parseInput(text, 'in') : text);
}

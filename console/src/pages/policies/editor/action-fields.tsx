// What a policy does where its conditions hold: each action with its reason, its limit and who has to approve.
import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { TakeAway } from '../../../parts/forms/take-away.tsx';
import { Icon } from '../../../parts/icons.tsx';
import type { PolicyContents } from '../policy-queries.ts';
import { ApprovalFields } from './approval-fields.tsx';
import classes from './condition-builder.module.css';
import { HaltField, LimitFields, withType } from './limit-fields.tsx';

type Action = PolicyContents['actions'][number];

const ACTIONS = [
  { value: 'block', label: 'Block it' },
  { value: 'flag_for_review', label: 'Hold it for a person' },
  { value: 'notify', label: 'Notify owners and admins' },
  { value: 'approve', label: 'Let it through' },
];
/** Changes no verdict before it is chosen. */
const NEW_ACTION: Action = { type: 'notify' };
const MOST_ACTIONS = 10;

interface Props {
  actions: readonly Action[];
  /** The lines of the source on which they begin. */
  lines: readonly number[];
  /** What the service says of the source. */
  errors: readonly { line: number; message: string }[];
  isReadOnly: boolean;
  onChange: (actions: Action[]) => void;
}

export function ActionFields({ actions, lines, errors, isReadOnly, onChange }: Props): ReactNode {
  return (
    <>
      {actions.map((action, i) => (
        <ActionRow
          // What stands behind one that is taken away is another one.
          key={`${i} of ${actions.length}`}
          number={i + 1}
          action={action}
          errors={errors.filter(({ line }) => isOn(line, lines, i))}
          isReadOnly={isReadOnly}
          onChange={(changed) => onChange(actions.with(i, changed))}
          onRemove={actions.length > 1 ? () => onChange(actions.toSpliced(i, 1)) : undefined}
        />
      ))}
      {!isReadOnly && actions.length < MOST_ACTIONS && (
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          onClick={() => onChange([...actions, NEW_ACTION])}
          leftSection={<Icon name="plus" size={14} />}
        >
          Add an action
        </Button>
      )}
    </>
  );
}

/** Whether a line belongs to an action: it begins there or above, and the next one below. */
const isOn = (line: number, lines: readonly number[], at: number): boolean =>
  line >= (lines[at] ?? 0) && line < (lines[at + 1] ?? Infinity);

interface RowProps {
  number: number;
  action: Action;
  errors: readonly { message: string }[];
  isReadOnly: boolean;
  onChange: (action: Action) => void;
  /** Absent: it is the only one. */
  onRemove: (() => void) | undefined;
}

function ActionRow(props: RowProps): ReactNode {
  const { number, action, errors, isReadOnly, onChange, onRemove } = props;
  return (
    <Stack gap="xs" role="group" aria-label={`Action ${number}`} className={classes.condition}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <Select
          label="Action"
          data={ACTIONS}
          value={action.type}
          allowDeselect={false}
          disabled={isReadOnly}
          onChange={(type) => onChange(withType(action, type as Action['type']))}
          flex="1 1 120px"
        />
        <TextInput
          key={JSON.stringify(action)}
          label="Reason that is shown"
          defaultValue={readReason(action)}
          disabled={isReadOnly}
          onBlur={({ currentTarget: { value } }) => {
            if (value !== readReason(action)) onChange(withReason(action, value));
          }}
          flex="1 1 120px"
        />
        {!isReadOnly && onRemove && <TakeAway what={`action ${number}`} onClick={onRemove} />}
      </Group>
      <LimitFields {...{ action, errors, isReadOnly, onChange }} />
      <HaltField {...{ action, isReadOnly, onChange }} />
      <ApprovalFields {...{ action, isReadOnly, onChange }} />
    </Stack>
  );
}

function readReason({ config }: Action): string {
  const reason = config?.['reason'];
  return typeof reason === 'string' ? reason : '';
}

const withReason = (action: Action, reason: string): Action => ({
  ...action,
  config: { ...action.config, reason },
});

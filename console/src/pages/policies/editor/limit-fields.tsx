// The limit of an action that blocks or holds, beyond which sum it counts; and what one that blocks halts as well.
import { Checkbox, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ACTS, SCOPE_WORDS, WINDOW_WORDS } from '../../../parts/limits/limit-words.ts';
import type { PolicyContents } from '../policy-queries.ts';
import { withApprovals } from './approval-fields.tsx';

type Action = PolicyContents['actions'][number];
type Limit = Readonly<Record<string, unknown>>;

interface Props {
  action: Action;
  /** What the service says of the rule. */
  errors: readonly { message: string }[];
  isReadOnly: boolean;
  onChange: (action: Action) => void;
}

const FIRST_LIMIT: Limit = { of: 'action.totalAmount', per: 'agent', window: '24h', most: 500 };

export const mayHaveLimit = ({ type }: Pick<Action, 'type'>): boolean =>
  type === 'block' || type === 'flag_for_review';

function withLimit({ config, ...action }: Action, limit: Limit | null): Action {
  const { limit: _before, ...rest } = config ?? {};
  return { ...action, config: { ...rest, ...(limit && { limit }) } as Action['config'] } as Action;
}

/** The action with another type: some have no limit, only one that blocks halts, only one that holds is approved. */
export function withType(action: Action | undefined, type: Action['type']): Action {
  const before = { ...action, type };
  const isHeld = type === 'flag_for_review' || !before.config?.['approvals'];
  const changed = isHeld ? before : withApprovals(before, null);
  const halting = type === 'block' || !changed.config?.['halt'] ? changed : withHalt(changed, null);
  return mayHaveLimit(halting) || halting.config?.['limit'] === undefined
    ? halting
    : withLimit(halting, null);
}

function readLimit({ config }: Action): Limit | null {
  const limit: unknown = config?.['limit'];
  if (limit === undefined) return null;
  return typeof limit === 'object' && limit !== null ? (limit as Limit) : {};
}

export function LimitFields({ action, errors, isReadOnly, onChange }: Props): ReactNode {
  if (!mayHaveLimit(action)) return null;
  const limit = readLimit(action);
  const change = (member: Limit): void => onChange(withLimit(action, { ...limit, ...member }));
  const findError = (member: string): string | undefined =>
    errors
      .map(({ message }) => new RegExp(String.raw`limit\.${member} .*`).exec(message)?.[0])
      .find(Boolean);
  return (
    <Stack gap="xs" role="group" aria-label="Limit">
      <Checkbox
        label="Only beyond a limit"
        description="It counts only where the sum would be passed."
        checked={limit !== null}
        disabled={isReadOnly}
        onChange={({ currentTarget: { checked } }) =>
          onChange(withLimit(action, checked ? FIRST_LIMIT : null))
        }
      />
      {limit && <Members limit={limit} {...{ change, findError, isReadOnly }} />}
    </Stack>
  );
}

interface MembersProps {
  limit: Limit;
  change: (member: Limit) => void;
  findError: (member: string) => string | undefined;
  isReadOnly: boolean;
}

const toChoices = (words: Readonly<Record<string, string>>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

function Members({ limit, change, findError, isReadOnly }: MembersProps): ReactNode {
  return (
    <>
      <Group gap="xs" align="flex-start">
        <Most limit={limit} {...{ change, findError, isReadOnly }} />
        <Of limit={limit} {...{ change, findError, isReadOnly }} />
      </Group>
      <Group gap="xs" align="flex-start">
        <Select
          label="Per"
          data={toChoices(SCOPE_WORDS)}
          value={toText(limit['per'])}
          error={findError('per')}
          allowDeselect={false}
          disabled={isReadOnly}
          onChange={(per) => change({ per })}
          flex="1 1 150px"
        />
        <Select
          label="Window"
          data={toChoices(WINDOW_WORDS)}
          value={toText(limit['window'])}
          error={findError('window')}
          allowDeselect={false}
          disabled={isReadOnly}
          onChange={(window) => change({ window })}
          flex="1 1 130px"
        />
      </Group>
      <Text size="xs" c="dimmed">
        What is approved counts at once, and is settled by its outcome. Budgets shows the sums.
      </Text>
    </>
  );
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Written into the source when it is left; what cannot be, the service says. */
function Most({ limit, change, findError, isReadOnly }: MembersProps): ReactNode {
  const most = typeof limit['most'] === 'number' ? limit['most'] : '';
  return (
    <NumberInput
      key={most}
      label="Most"
      description="May be reached, not passed"
      defaultValue={most}
      clampBehavior="none"
      error={findError('most')}
      disabled={isReadOnly}
      onBlur={({ currentTarget: { value } }) => {
        const typed = Number(value);
        if (value !== '' && Number.isFinite(typed) && typed !== most) change({ most: typed });
      }}
      flex="1 1 120px"
    />
  );
}

const FIELDS = [
  { value: ACTS, label: 'acts' },
  { value: 'action.totalAmount', label: 'the amount of the action' },
  { value: 'metadata.tokens', label: 'tokens that it reports' },
];
const OTHER = ' other';

function Of({ limit, change, findError, isReadOnly }: MembersProps): ReactNode {
  const of = toText(limit['of']);
  const [isOther, setOther] = useState(false);
  const choice = isOther || FIELDS.every(({ value }) => value !== of) ? OTHER : of;
  return (
    <Group gap="xs" align="flex-start" flex="2 1 240px">
      <Select
        label="Of"
        description="What is added up"
        data={[...FIELDS, { value: OTHER, label: 'another field' }]}
        value={choice}
        error={choice === OTHER ? undefined : findError('of')}
        allowDeselect={false}
        disabled={isReadOnly}
        onChange={(chosen) => {
          setOther(chosen === OTHER);
          if (chosen !== null && chosen !== OTHER) change({ of: chosen });
        }}
        flex="1 1 150px"
      />
      {choice === OTHER && (
        <TextInput
          key={of}
          label="Field of a number"
          description="Such as metadata.cost"
          defaultValue={of}
          error={findError('of')}
          disabled={isReadOnly}
          onBlur={({ currentTarget: { value } }) => {
            if (value.trim() !== '' && value.trim() !== of) change({ of: value.trim() });
          }}
          flex="1 1 150px"
        />
      )}
    </Group>
  );
}

const NOTHING = 'nothing';
const REACHES = [
  { value: NOTHING, label: 'nothing' },
  { value: 'session', label: 'the session' },
  { value: 'agent', label: 'the agent' },
];

/** The action with what it halts; only one that blocks halts something. */
function withHalt({ config, ...action }: Action, halt: string | null): Action {
  const { halt: _before, ...rest } = config ?? {};
  return { ...action, config: { ...rest, ...(halt !== null && { halt }) } as Action['config'] };
}

export function HaltField({ action, isReadOnly, onChange }: Omit<Props, 'errors'>): ReactNode {
  if (action.type !== 'block') return null;
  const halt: unknown = action.config?.['halt'];
  return (
    <Select
      label="Halts as well"
      description="It takes two people to resume."
      data={REACHES}
      value={typeof halt === 'string' ? halt : NOTHING}
      allowDeselect={false}
      disabled={isReadOnly}
      onChange={(chosen) => onChange(withHalt(action, chosen === NOTHING ? null : chosen))}
      maw={280}
    />
  );
}

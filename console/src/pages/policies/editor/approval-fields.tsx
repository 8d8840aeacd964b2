// Who has to approve what an action holds, and how many: steps of people, in order or side by side.
import { Button, Checkbox, Group, MultiSelect, NumberInput, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { membersQuery } from '../../../api/shared-queries.ts';
import { isObject } from '../../../parts/decision-text.ts';
import { TakeAway } from '../../../parts/forms/take-away.tsx';
import { Icon } from '../../../parts/icons.tsx';
import type { PolicyContents } from '../policy-queries.ts';
import classes from './condition-builder.module.css';

type Action = PolicyContents['actions'][number];
type Members = Readonly<Record<string, unknown>>;

interface Props {
  action: Action;
  isReadOnly: boolean;
  onChange: (action: Action) => void;
}

const ROLES = [
  { value: 'owner', label: 'any owner' },
  { value: 'admin', label: 'any admin' },
  { value: 'reviewer', label: 'any reviewer' },
];
const EXCLUDABLE = [
  { value: 'actor', label: 'the person for whom the agent acts' },
  { value: 'keyMaker', label: 'who made the key' },
  { value: 'agentOwner', label: 'the owner of the agent' },
];
const FIRST: Members = { steps: [{ roles: ['reviewer'], count: 2 }] };
const NEW_STEP: Members = { roles: ['owner', 'admin'] };
const MOST_STEPS = 8;

/** The action with what several people have to approve; only one that holds has it. */
export function withApprovals({ config, ...action }: Action, approvals: Members | null): Action {
  const { approvals: _before, ...rest } = config ?? {};
  return { ...action, config: { ...rest, ...(approvals && { approvals }) } as Action['config'] };
}

export function ApprovalFields({ action, isReadOnly, onChange }: Props): ReactNode {
  if (action.type !== 'flag_for_review') return null;
  const approvals = readApprovals(action);
  const change = (member: Members): void =>
    onChange(withApprovals(action, omitEmpty({ ...approvals, ...member })));
  return (
    <Stack gap="xs" role="group" aria-label="Approvals">
      <Checkbox
        label="Certain people, or several, have to approve"
        description="Else one approval by any reviewer is enough."
        checked={approvals !== null}
        disabled={isReadOnly}
        onChange={({ currentTarget: { checked } }) =>
          onChange(withApprovals(action, checked ? FIRST : null))
        }
      />
      {approvals && <Steps {...{ approvals, isReadOnly, change }} />}
    </Stack>
  );
}

interface StepsProps {
  approvals: Members;
  isReadOnly: boolean;
  change: (member: Members) => void;
}

function Steps({ approvals, isReadOnly, change }: StepsProps): ReactNode {
  const steps = readList(approvals['steps']).map(toMembers);
  return (
    <>
      {steps.map((step, i) => (
        <Step
          // What stands behind one that is taken away is another one.
          key={`${i} of ${steps.length}`}
          number={i + 1}
          {...{ step, isReadOnly }}
          change={(member) => change({ steps: steps.with(i, omitEmpty({ ...step, ...member })) })}
          onRemove={steps.length > 1 ? () => change({ steps: steps.toSpliced(i, 1) }) : undefined}
        />
      ))}
      {!isReadOnly && steps.length < MOST_STEPS && (
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          onClick={() => change({ steps: [...steps, NEW_STEP] })}
          leftSection={<Icon name="plus" size={14} />}
        >
          Add a step
        </Button>
      )}
      <Checkbox
        label="In this order"
        description="A step begins when those before it are complete."
        checked={approvals['inOrder'] === true}
        disabled={isReadOnly}
        onChange={({ currentTarget: { checked } }) => change({ inOrder: checked })}
      />
      <MultiSelect
        label="Who never approves"
        data={EXCLUDABLE}
        searchable
        value={readTexts(approvals['exclude'])}
        disabled={isReadOnly}
        onChange={(exclude) => change({ exclude })}
      />
    </>
  );
}

interface StepProps {
  number: number;
  step: Members;
  isReadOnly: boolean;
  change: (member: Members) => void;
  /** Absent: it is the only one. */
  onRemove: (() => void) | undefined;
}

function Step({ number, step, isReadOnly, change, onRemove }: StepProps): ReactNode {
  const name = typeof step['name'] === 'string' ? step['name'] : '';
  return (
    <Stack gap="xs" role="group" aria-label={`Step ${number}`} className={classes.condition}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <Count {...{ step, isReadOnly, change }} />
        <TextInput
          key={name}
          label="Name of the group"
          placeholder="Such as Finance"
          defaultValue={name}
          maxLength={60}
          disabled={isReadOnly}
          onBlur={({ currentTarget: { value } }) => {
            if (value.trim() !== name) change({ name: value.trim() });
          }}
          flex="2 1 120px"
        />
        {!isReadOnly && onRemove && <TakeAway what={`step ${number}`} onClick={onRemove} />}
      </Group>
      <People {...{ step, isReadOnly, change }} />
    </Stack>
  );
}

type FieldProps = Pick<StepProps, 'step' | 'isReadOnly' | 'change'>;

/** Written into the source when it is left; what cannot be, the service says. */
function Count({ step, isReadOnly, change }: FieldProps): ReactNode {
  const count = typeof step['count'] === 'number' ? step['count'] : 1;
  return (
    <NumberInput
      key={count}
      label="How many"
      defaultValue={count}
      clampBehavior="none"
      min={1}
      max={10}
      disabled={isReadOnly}
      onBlur={({ currentTarget: { value } }) => {
        const typed = Number(value);
        if (value !== '' && Number.isFinite(typed) && typed !== count) change({ count: typed });
      }}
      flex="1 1 80px"
    />
  );
}

function People({ step, isReadOnly, change }: FieldProps): ReactNode {
  const { data: members = [] } = useQuery(membersQuery);
  const people = readTexts(step['people']);
  const deciding = members.filter(({ role }) => ROLES.some(({ value }) => value === role));
  const known = deciding.map(({ userId, name }) => ({ value: userId, label: name }));
  const others = people.filter((one) => known.every(({ value }) => value !== one));
  return (
    <>
      <Group gap="xs" align="flex-start">
        <MultiSelect
          label="Roles"
          data={ROLES}
          searchable
          value={readTexts(step['roles'])}
          disabled={isReadOnly}
          onChange={(roles) => change({ roles })}
          flex="1 1 150px"
        />
        <MultiSelect
          label="People"
          data={[...known, ...others.map((one) => ({ value: one, label: one }))]}
          value={people}
          searchable
          maxValues={50}
          disabled={isReadOnly}
          onChange={(chosen) => change({ people: chosen })}
          flex="1 1 150px"
        />
      </Group>
      <Checkbox
        label="The owner of the agent"
        checked={step['agentOwner'] === true}
        disabled={isReadOnly}
        onChange={({ currentTarget: { checked } }) => change({ agentOwner: checked })}
      />
    </>
  );
}

function readApprovals({ config }: Action): Members | null {
  const approvals: unknown = config?.['approvals'];
  return approvals === undefined ? null : toMembers(approvals);
}

const toMembers = (value: unknown): Members => (isObject(value) ? value : {});

const readList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const readTexts = (value: unknown): string[] =>
  readList(value).filter((one) => typeof one === 'string');

/** What says nothing stands in no rule. */
const omitEmpty = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)));

const isEmpty = (value: unknown): boolean =>
  value === '' || value === false || (Array.isArray(value) && value.length === 0);

// Approves, and lets the agent do the same with that tool again: how long, how often, and within which arguments.
import { Checkbox, NumberInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { isObject, readToolCall } from '../../../parts/decision-text.ts';
import { FormDialog } from '../../../parts/forms/form-dialog.tsx';
import { type ArgumentBound, describeBound } from '../../../parts/record/condition-words.ts';
import { markInvisible } from '../../../parts/text.tsx';
import { parseAction, type ReviewItem } from '../review-queries.ts';
import type { GrantTerms } from './send-verdicts.ts';

const HOUR = 3600;
const TIMES = [
  { value: String(HOUR), label: '1 hour' },
  { value: String(8 * HOUR), label: '8 hours' },
  { value: String(24 * HOUR), label: '1 day' },
  { value: String(7 * 24 * HOUR), label: '7 days' },
];
const USES = { first: 10, most: 1000 };
const REASON_MAX = 500;
/** Bounds that a grant takes. */
const BOUNDS_MAX = 10;
/** Longer texts are no bounds that a person reads. */
const TEXT_MAX = 200;

interface Props {
  isOpen: boolean;
  item: ReviewItem;
  onClose: () => void;
  onApprove: (terms: GrantTerms) => void;
}

export function GrantDialog({ isOpen, item, ...props }: Props): ReactNode {
  return isOpen && <GrantForm key={item._id} item={item} {...props} />;
}

/** What the arguments of the call can be bound to: amounts as the most, all else as it is. */
function listBounds(item: ReviewItem): ArgumentBound[] {
  const { parameters } = readToolCall(parseAction(item)) ?? {};
  if (!isObject(parameters)) return [];
  return Object.entries(parameters)
    .flatMap(([name, value]): ArgumentBound[] => {
      const field = `arguments.${name}`;
      if (typeof value === 'number') return [{ field, operator: 'at_most', value }];
      const isShort = typeof value === 'string' && value.length <= TEXT_MAX;
      return isShort || typeof value === 'boolean' ? [{ field, operator: 'equals', value }] : [];
    })
    .filter(({ field }) => /^arguments\.[\w-]+$/.test(field))
    .slice(0, BOUNDS_MAX);
}

const DONE = { isPending: false, error: null };

function GrantForm({ item, onClose, onApprove }: Omit<Props, 'isOpen'>): ReactNode {
  const bounds = listBounds(item);
  const form = useForm({
    initialValues: {
      expiresIn: String(HOUR),
      uses: USES.first as number | string,
      fields: bounds.map(({ field }) => field),
      reason: '',
    },
    validate: {
      uses: (uses) =>
        Number.isInteger(uses) && Number(uses) >= 1 && Number(uses) <= USES.most
          ? null
          : `A whole number from 1 to ${USES.most}`,
    },
  });
  const tool = readToolCall(parseAction(item))?.tool ?? 'this';
  return (
    <FormDialog
      isOpen
      title="Approve, and allow it for a time"
      submitLabel="Approve and allow"
      mutation={DONE}
      onClose={onClose}
      onSubmit={form.onSubmit(({ expiresIn, uses, fields, reason }) =>
        onApprove({
          expiresIn: Number(expiresIn),
          uses: Number(uses),
          when: bounds.filter(({ field }) => fields.includes(field)),
          ...(reason.trim() !== '' && { reason: reason.trim() }),
        }),
      )}
    >
      <Text size="sm">
        {item.agentId?.name ?? item.agentIdStr} may then use {markInvisible(tool)} without a person,
        where the same policies alone would hold it.
      </Text>
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          For
        </Text>
        <SegmentedControl
          aria-label="For"
          fullWidth
          data={TIMES}
          {...form.getInputProps('expiresIn')}
        />
      </Stack>
      <NumberInput
        label="Times, at most"
        min={1}
        max={USES.most}
        allowDecimal={false}
        {...form.getInputProps('uses')}
      />
      {bounds.length > 0 && (
        <Checkbox.Group
          label="Only where"
          description="Without any, whatever the arguments are."
          {...form.getInputProps('fields')}
        >
          <Stack gap={6} mt={6}>
            {bounds.map((bound) => (
              <Checkbox
                key={bound.field}
                value={bound.field}
                label={markInvisible(describeBound(bound))}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <TextInput
        label="Reason"
        description="It is sealed with the grant."
        maxLength={REASON_MAX}
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  );
}

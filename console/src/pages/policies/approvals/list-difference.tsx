// What a proposed change does to the values of a list, and whether the list is still the one that it was written on.
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ValueDiff } from '../../../parts/diff/value-diff.tsx';
import { QueryView } from '../../../parts/states.tsx';
import { markInvisible } from '../../../parts/text.tsx';
import { createContentsQuery, listsQuery, type ListChange } from '../policy-queries.ts';

interface Props {
  change: ListChange;
  /** Whether it may still be put into force. */
  isOpen: boolean;
}

export function ListDifference({ change, isOpen }: Props): ReactNode {
  const { description, before, after } = change;
  const old = useQuery(createContentsQuery(before.digest));
  return (
    <Stack gap="sm">
      {description !== '' && (
        <Text size="sm" c="dimmed" className="stored-text">
          {markInvisible(description)}
        </Text>
      )}
      {isOpen && <Currency change={change} />}
      <QueryView query={old}>
        {({ values }) =>
          after ? (
            <Changed before={values} digest={after.digest} />
          ) : (
            <>
              <Text size="sm">The list is removed with its values.</Text>
              <ValueDiff label="Changes" before={values} after={[]} />
            </>
          )
        }
      </QueryView>
    </Stack>
  );
}

function Changed({ before, digest }: { before: readonly string[]; digest: string }): ReactNode {
  const fresh = useQuery(createContentsQuery(digest));
  return (
    <QueryView query={fresh}>
      {({ values }) => <ValueDiff label="Changes" before={before} after={values} />}
    </QueryView>
  );
}

/** Says so when the service would refuse it. */
function Currency({ change: { name, before } }: { change: ListChange }): ReactNode {
  const { data: lists } = useQuery(listsQuery);
  if (!lists) return null;
  const current = lists.find((list) => list.name === name);
  if (current?.digest === before.digest) return null;
  return (
    <Text size="sm" c="var(--assay-held)" fw={600}>
      {current
        ? 'The list has changed since this was proposed: withdraw it and propose another.'
        : 'The list is gone: this cannot be put into force.'}
    </Text>
  );
}

// Loads the next page of a list.
import { Button, Center } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

export function MoreButton({ list }: Props): ReactNode {
  if (!list.hasNextPage) return null;
  return (
    <Center>
      <Button
        variant="default"
        size="xs"
        loading={list.isFetchingNextPage}
        onClick={() => void list.fetchNextPage()}
      >
        Show more
      </Button>
    </Center>
  );
}

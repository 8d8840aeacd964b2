// The page of an address that leads nowhere.
import { Container } from '@mantine/core';
import type { ReactNode } from 'react';
import { TextLink } from '../parts/links.tsx';
import { Empty } from '../parts/states.tsx';

export function UnknownPage(): ReactNode {
  return (
    <Container component="main" py="xl">
      <Empty isPage icon="search" title="There is no such page">
        The address may be mistyped, or the page may have moved.{' '}
        <TextLink to="/live">Go to the live decisions</TextLink>
      </Empty>
    </Container>
  );
}

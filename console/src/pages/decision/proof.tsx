// What outside the chain vouches for a decision: its place in the witnessed log, and the promise that the agent was given.
import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { components } from '../../api/schema.gen.d.ts';
import { SaveButton } from '../../parts/layout/save-button.tsx';

interface Props {
  entry: Pick<components['schemas']['ChainEntry'], 'sequence' | 'merkleAnchorId'>;
  /** In the newest witnessed anchor; null: there is none yet. */
  proof: Pick<components['schemas']['ChainProof'], 'anchorId' | 'origin' | 'treeSize'> | null;
}

export function Proof({ entry: { sequence, merkleAnchorId }, proof }: Props): ReactNode {
  const anchorId = proof?.anchorId ?? merkleAnchorId;
  return (
    <Stack gap={6} component="section" aria-label="Proof">
      <Title order={3}>Proof</Title>
      <Text size="sm" c="dimmed" className="stored-text">
        {describeProof(sequence, { proof, merkleAnchorId })}
      </Text>
      {anchorId !== null && (
        <Group gap={4}>
          <SaveButton
            path={`/api/v1/hash-chain/anchors/${anchorId}/tlog-proof?sequence=${sequence}`}
          >
            Save the proof
          </SaveButton>
        </Group>
      )}
      <Text size="sm" c="dimmed">
        The answer that the agent got holds a promise of this entry. Drop it with the proof on{' '}
        <Anchor href="/verify">Verify</Anchor> to check both offline.
      </Text>
    </Stack>
  );
}

function describeProof(
  sequence: number,
  { proof, merkleAnchorId }: Pick<Props, 'proof'> & Pick<Props['entry'], 'merkleAnchorId'>,
): string {
  if (proof)
    return `Entry ${sequence} is in the log ${proof.origin} of ${proof.treeSize.toLocaleString('en')} entries, which witnesses have signed.`;
  return merkleAnchorId === null
    ? `Entry ${sequence} is not sealed into the log yet.`
    : `Entry ${sequence} is sealed into the log; no witness has signed that yet.`;
}

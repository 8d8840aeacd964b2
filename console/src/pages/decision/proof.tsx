// What outside the chain vouches for a decision: its place in the witnessed log, and the promise that the agent was given.
import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { components } from '../../api/schema.gen.d.ts';
import { formatExact } from '../../parts/time.tsx';
import { SaveButton } from '../../parts/layout/save-button.tsx';

interface Props {
  entry: Pick<
    components['schemas']['ChainEntry'],
    'sequence' | 'merkleAnchorId' | 'eidasTimestamp'
  >;
  /** In the newest anchor, which witnesses have signed where there are any; null: there is none yet. */
  proof: Pick<
    components['schemas']['ChainProof'],
    'anchorId' | 'origin' | 'treeSize' | 'witnessed' | 'heads'
  > | null;
}

export function Proof({ entry, proof }: Props): ReactNode {
  const { sequence, merkleAnchorId } = entry;
  const anchorId = proof?.anchorId ?? merkleAnchorId;
  return (
    <Stack gap={6} component="section" aria-label="Proof">
      <Title order={3}>Proof</Title>
      <Text size="sm" c="dimmed" className="stored-text">
        {[describeSeal(entry, proof), describeSigners(entry, proof), describeStamp(entry)].join(
          ' ',
        )}
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

function describeSeal({ sequence, merkleAnchorId }: Props['entry'], proof: Props['proof']): string {
  if (proof)
    return `Entry ${sequence} is sealed into the log ${proof.origin} of ${proof.treeSize.toLocaleString('en')} entries, whose head the service has signed.`;
  return merkleAnchorId === null
    ? `Entry ${sequence} is not sealed into the log yet.`
    : `Entry ${sequence} is sealed into the log, whose head the service has signed.`;
}

function describeSigners({ merkleAnchorId }: Props['entry'], proof: Props['proof']): string {
  if (!proof && merkleAnchorId === null) return '';
  if (!proof?.witnessed) return 'Witnesses have not signed for it.';
  const count = proof.heads?.cosignatures.length ?? 0;
  if (count === 0) return 'Witnesses have signed for it.';
  return count === 1 ? 'One witness has signed for it.' : `${count} witnesses have signed for it.`;
}

function describeStamp({ eidasTimestamp: stamp }: Props['entry']): string {
  return stamp
    ? `${stamp.issuer} has stamped it with the time ${formatExact(stamp.issuedAt)}.`
    : '';
}

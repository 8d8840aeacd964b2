// How a receiver checks that a delivery is genuine.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Snippet } from '../../parts/text.tsx';

const EXAMPLE = `import { verify } from '@assay/sdk/webhooks';

// rawBody: the bytes as they came, before anything parses them.
const { id, event, data } = await verify(rawBody, request.headers, process.env.WEBHOOK_SECRET);
// An event may arrive twice: act on each id once.`;

export function SignatureExample(): ReactNode {
  return (
    <>
      <Text size="sm">
        Deliveries follow Standard Webhooks: HMAC-SHA256 over{' '}
        <Text span ff="monospace" size="sm">
          webhook-id.webhook-timestamp.body
        </Text>
        . Most languages have a library for it.
      </Text>
      <Snippet code={EXAMPLE} label="check of a signature" />
    </>
  );
}

// Measures the events per second that are delivered to webhooks that answer immediately.
import { setTimeout as sleep } from 'node:timers/promises';
import { readCpuMs } from '../processes.ts';
import { startCountingServer } from './servers.ts';
import type { Stage } from '../stage.ts';
import { callApi } from '../tenants.ts';

const WEBHOOKS = 8;

/** Measures while a backlog of events waits, so that only deliveries count. */
export async function measureDeliveries(stage: Stage): Promise<number> {
  const receiver = await startCountingServer();
  const scene = await stage.openScene({ env: { ASSAY_OUTBOUND_ALLOW: receiver.host } });
  const token = scene.organizations[0]?.token ?? '';
  try {
    for (let number = 0; number < WEBHOOKS; number++) {
      const body = { url: `http://${receiver.host}/${number}`, events: ['*'] };
      await callApi(`${scene.url}/api/v1/webhooks`, { token, body });
    }
    const { operations } = await scene.runIngestion({ connections: 64 });
    const [before, start, cpu] = [receiver.count(), performance.now(), readCpuMs(scene.pid)];
    await sleep(stage.span.seconds * 1000);
    const delivered = receiver.count() - before;
    if (receiver.count() >= operations * WEBHOOKS) throw new Error('there was no backlog');
    const seconds = (performance.now() - start) / 1000;
    const spentUs = ((readCpuMs(scene.pid) - cpu) * 1000) / delivered;
    console.error(`  ${spentUs.toFixed(0)} us of processor for a delivery`);
    return delivered / seconds;
  } finally {
    await scene.close();
    await receiver.close();
  }
}

// temporary
import { test } from 'vitest';
import { resources } from './resources.ts';
import { openStage, whileAttacked } from './stage.ts';
import { execSync } from 'node:child_process';
for (const name of (process.env.PROBE ?? '').split(','))
  test(name, async () => {
    const resource = resources.find((one) => one.name === name)!;
    const stage = await openStage({ ada: 4000, bob: 200 });
    const requests = await resource.prepare(stage);
    await whileAttacked(
      { url: stage.url, requests, connections: resource.connections },
      async () => {
        const cpu = () =>
          execSync(
            "ps -eo comm,pcpu,time,args --sort=-time | grep -E 'app-process|mongod|attacker|vitest' | grep -v grep | head -8 | cut -c1-90",
          ).toString();
        const before = cpu();
        const times: number[] = [];
        const end = performance.now() + 6000;
        while (performance.now() < end) {
          const b = performance.now();
          await (await fetch(stage.url + '/health')).text();
          times.push(performance.now() - b);
          await new Promise((r) => setTimeout(r, 5));
        }
        const uses: number[] = [];
        for (let i = 0; i < 7; i++) {
          const b = performance.now();
          await resource.use(stage, 1000 + i);
          uses.push(Math.round(performance.now() - b));
        }
        times.sort((a, b) => a - b);
        console.info(
          name,
          'health p50',
          times[times.length >> 1]?.toFixed(1),
          'p90',
          times[Math.floor(times.length * 0.9)]?.toFixed(1),
          'max',
          times.at(-1)?.toFixed(1),
          'uses',
          uses.join(' '),
        );
        console.info(before, cpu());
      },
    );
    await stage.close();
  });

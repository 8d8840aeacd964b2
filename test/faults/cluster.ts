// A replica set of three real mongods that can be killed, stepped down and stalled.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { findFreePort, startMongod, type MongodProcess } from '@assay/embedded-mongod';

const NAME = 'faults';
const MEMBERS = 3;

interface Member {
  port: number;
  folder: string;
  process: MongodProcess;
}

export interface Cluster {
  uri(database: string): string;
  client: mongoose.mongo.MongoClient;
  /** Kills the primary by `kill -9` and starts it again. */
  killPrimary(): Promise<void>;
  stepDown(): Promise<void>;
  /** Suspends the primary's process for a while; it continues afterwards. */
  stallPrimary(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** Settings for elections within about a second, so that a fault is over before the next one. */
const SETTINGS = { electionTimeoutMillis: 1000, heartbeatIntervalMillis: 200 };

export async function startCluster(binary: string): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-faults-'));
  const members: Member[] = [];
  for (let index = 0; index < MEMBERS; index++)
    members.push(await startMember(binary, join(folder, String(index)), await findFreePort()));
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`);
  await initiate(hosts);
  const uri = (database: string) => `mongodb://${hosts.join(',')}/${database}?replicaSet=${NAME}`;
  const client = await mongoose.mongo.MongoClient.connect(uri('admin'));

  async function primary(): Promise<Member> {
    for (;;) {
      const { primary: address } = await client
        .db('admin')
        .command({ hello: 1 })
        .catch(() => ({ primary: undefined }));
      const member = members[hosts.indexOf(String(address))];
      if (member) return member;
      await sleep(100);
    }
  }

  return {
    uri,
    client,
    async killPrimary() {
      const member = await primary();
      process.kill(member.process.pid, 'SIGKILL');
      await member.process.ended;
      member.process = (await startMember(binary, member.folder, member.port)).process;
    },
    async stepDown() {
      await client
        .db('admin')
        .command({ replSetStepDown: 5, force: true })
        .catch(() => undefined);
    },
    async stallPrimary(ms) {
      const { pid } = (await primary()).process;
      process.kill(pid, 'SIGSTOP');
      await sleep(ms);
      process.kill(pid, 'SIGCONT');
    },
    async stop() {
      await client.close();
      for (const member of members) process.kill(member.process.pid, 'SIGKILL');
      await Promise.all(members.map((member) => member.process.ended));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function startMember(binary: string, folder: string, port: number): Promise<Member> {
  await mkdir(folder, { recursive: true });
  const args = [
    '--dbpath',
    folder,
    '--replSet',
    NAME,
    '--wiredTigerCacheSizeGB',
    '0.25',
    '--oplogSize',
    '256',
  ];
  return {
    port,
    folder,
    process: await startMongod({ binary, port, args, logFile: join(folder, 'log') }),
  };
}

/** Makes a replica set of members that run. */
export async function initiate(hosts: readonly string[]): Promise<void> {
  const client = await mongoose.mongo.MongoClient.connect(
    `mongodb://${hosts[0]}/?directConnection=true`,
  );
  const members = hosts.map((host, _id) => ({ _id, host }));
  await client.db('admin').command({ replSetInitiate: { _id: NAME, members, settings: SETTINGS } });
  for (;;) {
    const { primary } = await client.db('admin').command({ hello: 1 });
    if (primary) break;
    await sleep(100);
  }
  await client.close();
}

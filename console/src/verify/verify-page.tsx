// Verify: a bundle is checked on this device, by the verifier of the command line, without a session or the network.
import { Anchor, Box, Button, Group, Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { ColourSchemeSwitch } from '../app/colour-scheme-switch.tsx';
import { Logo } from '../app/logo.tsx';
import { Page } from '../parts/page.tsx';
import { useVerifier } from './ask-verifier.ts';
import { DropZone } from './drop-zone.tsx';
import {
  collectEvidence,
  type FileKind,
  type GivenFile,
  readGivenFile,
  type Typed,
} from './given-files.ts';
import { OutcomeView } from './outcome-view.tsx';
import sampleBundle from './sample-bundle.txt?raw';
import { TamperLab } from './tamper-lab.tsx';
import { TrustForm } from './trust-form.tsx';

const TYPING_MS = 300;
const NOTHING: Typed = { keys: '', pins: '', custodianKeys: '' };
/** There is one of these at a time: a new one takes the place of the one before. */
const SINGLE: ReadonlySet<FileKind> = new Set<FileKind>(['bundle', 'erasure']);
/** What can be asked about. */
const ASKED: ReadonlySet<FileKind> = new Set<FileKind>(['bundle', 'answer', 'erasure']);
const SAMPLE_HASH = '#sample';
/** The last entry of the sample, as its reader would have noted it. */
const SAMPLE_PIN = '8:7275f0f54bcccbb3da237e2906cfa017329a8635431ba0a37385b4e8a95576fb';

export function VerifyPage(): ReactNode {
  const [files, setFiles] = useState<readonly GivenFile[]>([]);
  const [typed, setTyped] = useState<Typed>(NOTHING);
  // What is typed counts a moment later, what is given at once counts at once.
  const [settled, setSettled] = useState<Typed>(NOTHING);
  const settleLater = useDebouncedCallback(setSettled, TYPING_MS);
  const evidence = useMemo(() => collectEvidence(files, settled), [files, settled]);
  const bundle = files.findLast(({ kind }) => kind === 'bundle')?.blob ?? null;
  const { ask, cancel, ...asked } = useVerifier();
  const hasQuestion = bundle !== null || evidence.answers.length > 0 || evidence.erasure !== null;
  useEffect(() => {
    if (hasQuestion) ask({ bundle, evidence });
    // The verifier itself is no reason to verify again.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [bundle, evidence, hasQuestion]);
  async function addFiles(added: readonly File[]): Promise<void> {
    const read = await Promise.all(added.map((file) => readGivenFile(file, file.name)));
    const replaced = read.map(({ kind }) => kind).filter((kind) => SINGLE.has(kind));
    setFiles((known) => [...known.filter(({ kind }) => !replaced.includes(kind)), ...read]);
  }
  async function openSample(): Promise<void> {
    setFiles([await readGivenFile(new Blob([sampleBundle]), 'sample-bundle.json')]);
    setTyped({ ...NOTHING, pins: SAMPLE_PIN });
    setSettled({ ...NOTHING, pins: SAMPLE_PIN });
  }
  useEffect(() => {
    if (location.hash === SAMPLE_HASH) void openSample();
  }, []);
  function removeFile(file: GivenFile): void {
    const left = files.filter((known) => known !== file);
    setFiles(left);
    if (!left.some(({ kind }) => ASKED.has(kind))) cancel();
  }
  return (
    <Box component="main" p={{ base: 'sm', sm: 'lg' }}>
      <Group justify="space-between" maw={1180} mx="auto" mb="md">
        <Logo />
        <ColourSchemeSwitch />
      </Group>
      <Page
        title="Verify"
        lead="Check a bundle on this device. Nothing is sent: this page may not connect to anything."
        actions={<SaveLink />}
      >
        <DropZone
          files={files}
          onAdd={(added) => void addFiles(added)}
          onRemove={removeFile}
          onSample={() => void openSample()}
        />
        <TrustForm
          typed={typed}
          onChange={(changed) => {
            setTyped(changed);
            settleLater(changed);
          }}
        />
        {asked.progress !== null && asked.progress > 0 && (
          <Progress bytes={asked.progress} onCancel={cancel} />
        )}
        {asked.failure !== null && (
          <Text role="alert" c="var(--assay-blocked)">
            {asked.failure}
          </Text>
        )}
        {hasQuestion && asked.outcome && <OutcomeView outcome={asked.outcome} />}
        {bundle && asked.outcome?.rows && asked.outcome.rows.length > 0 && (
          <TamperLab
            key={files.indexOf(files.findLast(({ kind }) => kind === 'bundle') as GivenFile)}
            bundle={bundle}
            evidence={evidence}
            rows={asked.outcome.rows}
          />
        )}
      </Page>
    </Box>
  );
}

/** A copy of this page is the whole verifier. */
function SaveLink(): ReactNode {
  if (location.protocol === 'file:') return <Text size="sm">This is a saved copy.</Text>;
  return (
    <Anchor href="/verify" download="assay-verify.html" size="sm">
      Save this page, to verify without us
    </Anchor>
  );
}

const MEGABYTE = 1024 * 1024;

function Progress({ bytes, onCancel }: { bytes: number; onCancel: () => void }): ReactNode {
  return (
    <Group gap="sm" role="status">
      <Text size="sm" className="numbers">
        Verifying: {(bytes / MEGABYTE).toFixed(1)} MB read
      </Text>
      <Button variant="default" size="xs" onClick={onCancel}>
        Stop
      </Button>
    </Group>
  );
}

// Asks the verifier in its thread. A new question ends the one before it.
import { useEffect, useRef, useState } from 'react';
import type { Answer, Evidence, Outcome, Question, Tampering } from '../../verifier/protocol.ts';
import VerifierThread from '../../verifier/worker.ts?worker&inline';

export interface Asked {
  outcome: Outcome | null;
  /** Bytes read so far, while it works; null: it does not. */
  progress: number | null;
  failure: string | null;
}

const IDLE: Asked = { outcome: null, progress: null, failure: null };
let questions = 0;

interface Input {
  bundle: Blob | null;
  evidence: Evidence;
  tampering?: Tampering | null;
}

interface Verifier extends Asked {
  ask: (input: Input) => void;
  cancel: () => void;
}

export function useVerifier(): Verifier {
  const [asked, setAsked] = useState<Asked>(IDLE);
  const thread = useRef<Worker | null>(null);
  function endThread(): void {
    thread.current?.terminate();
    thread.current = null;
  }
  useEffect(() => endThread, []);
  function ask({ bundle, evidence, tampering = null }: Input): void {
    endThread();
    const worker = new VerifierThread();
    const question: Question = { id: ++questions, bundle, evidence, tampering };
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      if (data.kind === 'progress')
        return setAsked((known) => ({ ...known, progress: data.bytes }));
      if (data.kind === 'failure') return setAsked({ ...IDLE, failure: data.message });
      setAsked({ ...IDLE, outcome: data.outcome });
    });
    worker.addEventListener('error', ({ message }) =>
      setAsked({ ...IDLE, failure: message || 'The verifier could not be started' }),
    );
    worker.postMessage(question);
    thread.current = worker;
    setAsked((known) => ({ ...known, progress: 0, failure: null }));
  }
  return {
    ...asked,
    ask,
    cancel() {
      endThread();
      setAsked(IDLE);
    },
  };
}

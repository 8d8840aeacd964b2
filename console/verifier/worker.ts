// The verifier in a thread of its own: the page stays usable, and long work can be ended with the thread.
import './buffer-global.ts';
import { answerQuestion } from './answer.ts';
import type { Answer, Question } from './protocol.ts';

const PROGRESS_MS = 100;

function send(answer: Answer): void {
  postMessage(answer);
}

addEventListener('message', ({ data }: MessageEvent<Question>) => {
  let reportedAt = 0;
  function reportProgress(bytes: number): void {
    if (performance.now() - reportedAt < PROGRESS_MS) return;
    reportedAt = performance.now();
    send({ id: data.id, kind: 'progress', bytes });
  }
  answerQuestion(data, reportProgress).then(
    (outcome) => send({ id: data.id, kind: 'outcome', outcome }),
    (error: unknown) => send({ id: data.id, kind: 'failure', message: String(error) }),
  );
});

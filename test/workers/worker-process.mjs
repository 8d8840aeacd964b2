// A worker that listens and ends as it is asked to, and does nothing else.
process.on('message', ({ request }) => {
  if (request?.kind === 'stop') process.exit(0);
});
process.send({ request: { id: 1, kind: 'noteListening', payload: { url: 'http://localhost' } } });

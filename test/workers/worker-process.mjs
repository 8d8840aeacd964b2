// A worker that listens and ends as it is asked to, and does nothing else.
process.on('message', ({ question }) => {
  if (question?.kind === 'stop') process.exit(0);
});
process.send({ question: { id: 1, kind: 'listens', payload: { url: 'http://localhost' } } });

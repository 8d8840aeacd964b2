// A separate process that counts from the start: prints the steps of each case, at its size and at twice that size.
import { startCounting, countSteps } from './steps.ts';

startCounting();
void import('./cases.ts').then(({ bounded, cases }) => {
  const works = cases.flatMap(({ size, of }) => [of(size), of(2 * size)]);
  // The first run is not counted, since filling caches is not the cost of an input.
  for (const work of works) work();
  const steps = countSteps(works);
  const growing = cases.map(({ name }, i) => ({ name, steps: steps.slice(2 * i, 2 * i + 2) }));
  const most = countSteps(bounded.map(({ of }) => of()));
  console.log(JSON.stringify({ growing, most: bounded.map(({ name }, i) => [name, most[i]]) }));
});

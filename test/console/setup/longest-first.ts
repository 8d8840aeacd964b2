// The file with by far the most work starts first: as the last one, it would run for a minute beside an idle core.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONGEST = 'every-page.e2e.ts';
const isLongest = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith(`/${LONGEST}`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

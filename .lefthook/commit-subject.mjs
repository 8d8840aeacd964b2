// Refuses a commit whose subject is not `type(scope): what it does`, or has more than 72 characters.
import { readFileSync } from 'node:fs';

const TYPES = 'build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test';
const FORM = new RegExp(`^(${TYPES})(\\([a-z0-9-]+\\))?!?: \\S.*$`);
const LENGTH = 72;

const [subject = ''] = readFileSync(process.argv[2] ?? '', 'utf8').split('\n');
const isMadeByGit = /^(Merge|Revert|fixup!|squash!)/.test(subject);
if (!isMadeByGit && !FORM.test(subject)) fail('begins with `type(scope): `, such as `fix(log): `');
if (subject.length > LENGTH) fail(`has at most ${LENGTH} characters, not ${subject.length}`);

function fail(rule) {
  console.error(`The subject of a commit ${rule}:\n  ${subject}`);
  process.exit(1);
}

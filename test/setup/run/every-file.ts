// A setup file: runs before each test file. Fixtures of the file before are torn down after its `afterAll`, apps among them.
import { betweenFiles } from './between-files.ts';
import './random-cases.ts';

for (const free of betweenFiles) await free();

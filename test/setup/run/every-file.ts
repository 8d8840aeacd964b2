// A setup file: runs before each test file. Fixtures of the file before are torn down after its `afterAll`, apps among them.
import { freeDatabases } from '../databases.ts';
import './random-cases.ts';

await freeDatabases();

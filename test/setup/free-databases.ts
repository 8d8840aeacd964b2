// A setup file: runs with each test file, whose own `afterAll` has stopped its apps before.
import { afterAll } from 'vitest';
import { freeDatabases } from './databases.ts';

afterAll(freeDatabases);

// A setup file: runs with each test file, whose own `afterAll` has stopped its apps before.
import { afterAll } from 'vitest';
import { freeDatabases } from '../databases.ts';
import './random-cases.ts';

afterAll(freeDatabases);

// A tool for tests: what is not given is as harmless as it can be.
import type { Tool } from '../../src/index.ts';

export const buildTool = (given: Partial<Tool> & Pick<Tool, 'name'>): Tool => ({
  server: null,
  match: {},
  does: [],
  gives: [],
  outside: null,
  directory: false,
  roles: {},
  after: [],
  ...given,
});
